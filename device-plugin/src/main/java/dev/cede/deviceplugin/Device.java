package dev.cede.deviceplugin;

/** A device as kubelet is told about it. */
public record Device(String id, boolean healthy) {}
