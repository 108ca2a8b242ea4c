package dev.cede.coordinator.planted;

import dev.cede.model.PodRef;
import dev.cede.nvml.CardInventory;
import dev.cede.v1.Share;

/** Planted: messages beside the model where none should be, and the driver. */
record KnowsTheNode(Share message, PodRef pod, CardInventory driver) {}
