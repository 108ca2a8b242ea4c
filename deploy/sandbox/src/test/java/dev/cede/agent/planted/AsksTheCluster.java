package dev.cede.agent.planted;

import dev.cede.coordinator.cluster.PodFacts;

import io.fabric8.kubernetes.api.model.Pod;

/** Planted: an agent that knows the Kubernetes client, and the coordinator's facts. */
record AsksTheCluster(Pod pod, PodFacts facts) {}
