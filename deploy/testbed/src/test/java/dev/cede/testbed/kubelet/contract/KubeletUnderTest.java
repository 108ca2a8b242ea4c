package dev.cede.testbed.kubelet.contract;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A node and its kubelet, as device plugins, the API server and this machine's processes see it: the
 * stand-in, or a real one. Closing it ends the pods that were added.
 */
public interface KubeletUnderTest extends AutoCloseable {
    /** As the Node object is called. */
    String name();

    /** Where device plugins have their sockets. */
    Path pluginDirectory();

    Path podResourcesSocket();

    /** Creates a pod, whose spec names this node, and returns it with its UID. */
    Pod add(Pod pod);

    /** DELETE with this grace in seconds; with 0 the object is gone at once. */
    void delete(Pod pod, long grace);

    /** The pod as the API has it now, if this very pod is still there. */
    Optional<Pod> current(Pod pod);

    /** Each status that the pod has had, oldest first. */
    List<PodStatus> statuses(Pod pod);

    /** What was told people about the pod. */
    List<Event> events(Pod pod);

    Node node();

    /** PID on this machine of a running container's first process. */
    Optional<Long> pid(Pod pod, String container);

    /** Where this machine finds what a running container finds at a path. */
    Path file(Pod pod, String container, String path);

    /** Ends kubelet's own process; its containers go on. */
    void stopKubelet();

    /** Starts a stopped kubelet; it may need a moment more until it knows its pods. */
    void startKubelet();

    @Override
    void close();
}
