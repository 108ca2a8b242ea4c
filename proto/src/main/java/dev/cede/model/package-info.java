/**
 * The words that both processes share, as values: no behaviour beyond what keeps a value honest,
 * no I/O, no clock.
 */
package dev.cede.model;
