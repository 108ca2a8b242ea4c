/**
 * Kubelet's side of a node: device lists, which container a call is meant for, and the two plugin
 * servers. The decisions are pure; who owns the books answers the calls.
 */
package dev.cede.deviceplugin;
