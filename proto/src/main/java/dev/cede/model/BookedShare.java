package dev.cede.model;

/** A share that kubelet gave out, and its state. */
public record BookedShare(Share share, ShareState state) {}
