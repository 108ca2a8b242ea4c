/** Who may attach as the agent of which node. */
package dev.cede.coordinator.identity;
