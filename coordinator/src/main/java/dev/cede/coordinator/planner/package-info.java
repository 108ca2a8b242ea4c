/**
 * Decides where pods go and who has to leave for them (rules A to E). Pure: same input, same plan,
 * on every JVM.
 */
package dev.cede.coordinator.planner;
