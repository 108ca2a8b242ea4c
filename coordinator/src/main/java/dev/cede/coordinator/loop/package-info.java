/**
 * The coordinator's one state machine: events in, effects out. No I/O, no clock, no thread: the
 * shell hands it events with the time they were taken, and carries the effects out.
 */
package dev.cede.coordinator.loop;
