package dev.cede.testbed.kubelet;

import dev.cede.testbed.kubelet.api.NodeApi;
import dev.cede.testbed.kubelet.core.KubeletSettings;
import dev.cede.testbed.kubelet.processes.Containers;
import dev.cede.testbed.kubelet.sockets.PluginConnections;

import java.nio.file.Path;
import java.time.InstantSource;

/** Everything a {@link Kubelet} is built from. */
record KubeletConfig(
        String nodeName,
        Path pluginDir,
        Path podResourcesSocket,
        NodeApi api,
        InstantSource clock,
        KubeletSettings settings,
        PluginConnections.Limits limits,
        Containers.Settings containers) {}
