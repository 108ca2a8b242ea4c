/** Cards as text: pure, no more than 80 columns wide. */
package dev.cede.sandbox.picture;
