/**
 * The driver's side: what cards this machine has and who uses them, measured and never remembered.
 * {@link dev.cede.nvml.CardInventory} is the port, {@link dev.cede.nvml.NvmlCardInventory} asks
 * NVIDIA's management library.
 */
package dev.cede.nvml;
