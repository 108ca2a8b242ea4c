/** The agent of a node: one thread decides, the others read, serve and dial for it. */
package dev.cede.agent;
