package dev.cede.testbed.kubelet.core;

import java.time.Instant;

/** A container that runs while kubelet starts. */
public record Survivor(
        String podUid, String container, String containerId, Instant started, int restarts) {}
