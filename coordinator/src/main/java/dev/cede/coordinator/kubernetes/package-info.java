/** The API server: objects in as facts, effects out as calls. */
package dev.cede.coordinator.kubernetes;
