/** The only code between generated messages and the model. */
package dev.cede.wire;
