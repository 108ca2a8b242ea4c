/** The coordinator's configuration file. */
package dev.cede.coordinator.config;
