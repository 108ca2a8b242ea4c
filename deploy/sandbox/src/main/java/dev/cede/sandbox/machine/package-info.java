/** The parts of the sandbox: real servers, real processes, simulated cards; and eyes on them. */
package dev.cede.sandbox.machine;
