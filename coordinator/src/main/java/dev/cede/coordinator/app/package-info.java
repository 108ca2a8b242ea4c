/** The process: its event loop, and how the parts are put together. */
package dev.cede.coordinator.app;
