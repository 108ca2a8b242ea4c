/** The server's side of the link to the agents. */
package dev.cede.coordinator.agents;
