/** What a sandbox stands on: an API server, and nodes of a kubelet and simulated cards each. */
package dev.cede.sandbox.kubernetes;
