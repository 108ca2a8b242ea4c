/** The stream to the coordinator. */
package dev.cede.agent.link;
