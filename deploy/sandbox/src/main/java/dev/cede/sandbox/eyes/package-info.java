/** Eyes on a cluster: what API server, agents and the machine's processes show. */
package dev.cede.sandbox.eyes;
