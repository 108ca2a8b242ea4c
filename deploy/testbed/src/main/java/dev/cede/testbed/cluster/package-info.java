/** The real cluster on this machine, as {@code deploy/testbed/kubernetes/cluster} brought it up. */
package dev.cede.testbed.cluster;
