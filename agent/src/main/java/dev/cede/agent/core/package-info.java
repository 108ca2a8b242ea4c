/**
 * What a node's agent decides: state and event in, state and effects out. No I/O, clock, random,
 * thread or logger; times are milliseconds on a clock that only goes forward.
 */
package dev.cede.agent.core;
