/** What an agent reads and writes on its own machine. */
package dev.cede.agent.host;
