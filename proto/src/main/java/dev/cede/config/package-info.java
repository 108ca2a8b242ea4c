/** Strict reading of the processes' configuration files. */
package dev.cede.config;
