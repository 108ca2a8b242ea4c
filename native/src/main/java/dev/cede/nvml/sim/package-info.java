/**
 * Machines without GPUs: a simulated driver library over a folder of card files, and gpu-hog, a
 * program that uses such cards and lets go of them when it dies, however it dies.
 */
package dev.cede.nvml.sim;
