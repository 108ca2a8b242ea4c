/** What the coordinator keeps of Kubernetes objects: only the fields it uses, as values. */
package dev.cede.coordinator.cluster;
