/** What the coordinator knows, for its operators. */
package dev.cede.coordinator.inspect;
