package dev.cede.testbed.kubelet.api;

import dev.cede.testbed.kubelet.core.PodSpec;
import dev.cede.testbed.kubelet.core.PodStatusView;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** The Kubernetes API in memory, for tests that need a kubelet but no API server. */
public final class InMemoryNodeApi implements NodeApi {
    private record Watcher(String node, PodListener listener) {}

    private final Map<String, Pod> pods = new LinkedHashMap<>();
    private final Map<String, Node> nodes = new TreeMap<>();
    private final Map<String, List<PodStatus>> statuses = new TreeMap<>();
    private final List<Event> events = new ArrayList<>();
    private final List<Watcher> watchers = new ArrayList<>();
    private long version;

    /** Adds a pod, bound where its spec names a node, and returns it with UID and creation time. */
    public synchronized Pod addPod(Pod pod) {
        Pod added = new PodBuilder(pod)
                .editMetadata()
                .withNamespace(
                        Optional.ofNullable(pod.getMetadata().getNamespace()).orElse("default"))
                .withUid(Optional.ofNullable(pod.getMetadata().getUid())
                        .orElse(UUID.randomUUID().toString()))
                .withCreationTimestamp(Optional.ofNullable(pod.getMetadata().getCreationTimestamp())
                        .orElse(StatusMerge.time(Instant.now())))
                .endMetadata()
                .withStatus(Optional.ofNullable(pod.getStatus())
                        .orElseGet(() ->
                                new PodStatusBuilder().withPhase("Pending").build()))
                .build();
        if (find(added.getMetadata().getNamespace(), added.getMetadata().getName())
                .isPresent()) {
            throw new IllegalStateException("pod exists: " + PodReader.id(added));
        }
        store(added);
        tell(added, PodListener::added);
        return pods.get(added.getMetadata().getUid());
    }

    /** Sets the node of a pod that has none. */
    public synchronized Pod bind(String uid, String node) {
        Pod bound = new PodBuilder(require(uid))
                .editSpec()
                .withNodeName(node)
                .endSpec()
                .build();
        store(bound);
        tell(bound, PodListener::added);
        return bound;
    }

    /** As DELETE with this grace in seconds; 0 removes the object at once, whatever still runs. */
    public synchronized void deletePod(String uid, long grace) {
        Pod pod = require(uid);
        String phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
        boolean finished = "Succeeded".equals(phase) || "Failed".equals(phase);
        if (grace == 0 || finished || pod.getSpec().getNodeName() == null) {
            drop(pod);
            return;
        }
        Long before = pod.getMetadata().getDeletionGracePeriodSeconds();
        Pod deleted = new PodBuilder(pod)
                .editMetadata()
                .withDeletionTimestamp(StatusMerge.time(Instant.now().plusSeconds(grace)))
                .withDeletionGracePeriodSeconds(before == null ? grace : Math.min(before, grace))
                .endMetadata()
                .build();
        store(deleted);
        tell(deleted, PodListener::changed);
    }

    public void forceDelete(String uid) {
        deletePod(uid, 0);
    }

    public synchronized Optional<Pod> pod(String uid) {
        return Optional.ofNullable(pods.get(uid));
    }

    public synchronized Optional<Node> node(String name) {
        return Optional.ofNullable(nodes.get(name));
    }

    public synchronized List<Event> events() {
        return List.copyOf(events);
    }

    /** Every status that was written for a pod, oldest first. */
    public synchronized List<PodStatus> statuses(String uid) {
        return List.copyOf(statuses.getOrDefault(uid, List.of()));
    }

    /** Waits until the pod is as wanted. */
    public Pod awaitPod(String uid, Predicate<Pod> wanted, Duration limit) {
        await(
                () -> pod(uid).filter(wanted).isPresent(),
                limit,
                () -> "pod " + uid + ": " + pod(uid));
        return pod(uid).orElseThrow();
    }

    public Pod awaitPhase(String uid, String phase, Duration limit) {
        return awaitPod(
                uid,
                pod -> pod.getStatus() != null && phase.equals(pod.getStatus().getPhase()),
                limit);
    }

    public void awaitGone(String uid, Duration limit) {
        await(() -> pod(uid).isEmpty(), limit, () -> "pod " + uid + " is still there");
    }

    /** Waits until the node shows this many allocatable of an extended resource. */
    public void awaitAllocatable(String node, String resource, long count, Duration limit) {
        await(
                () -> node(node)
                        .map(found -> found.getStatus().getAllocatable().get(resource))
                        .filter(quantity -> quantity.getNumericalAmount().longValue() == count)
                        .isPresent(),
                limit,
                () -> "node " + node + ": " + node(node));
    }

    private synchronized void await(
            BooleanSupplier condition, Duration limit, Supplier<String> what) {
        Instant end = Instant.now().plus(limit);
        while (!condition.getAsBoolean()) {
            long left = Duration.between(Instant.now(), end).toMillis();
            if (left <= 0) {
                throw new AssertionError("not within " + limit + ": " + what.get());
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted", e);
            }
        }
    }

    @Override
    public synchronized Watch watchPods(String node, PodListener listener) {
        Watcher watcher = new Watcher(node, listener);
        listener.known(pods.values().stream()
                .filter(pod -> node.equals(pod.getSpec().getNodeName()))
                .toList());
        watchers.add(watcher);
        return () -> {
            synchronized (this) {
                watchers.remove(watcher);
            }
        };
    }

    @Override
    public synchronized void writeStatus(PodStatusView view) {
        Pod pod = pods.get(view.pod().uid());
        if (pod == null) {
            return;
        }
        PodStatus status = StatusMerge.merge(pod.getStatus(), view, Instant.now());
        statuses.computeIfAbsent(view.pod().uid(), unused -> new ArrayList<>()).add(status);
        Pod written = new PodBuilder(pod).withStatus(status).build();
        store(written);
        tell(written, PodListener::changed);
    }

    @Override
    public synchronized void removePod(PodSpec.Id id) {
        pod(id.uid()).ifPresent(this::drop);
    }

    @Override
    public synchronized void publishNode(Node node) {
        nodes.put(node.getMetadata().getName(), node);
        notifyAll();
    }

    @Override
    public synchronized void createEvent(Event event) {
        events.add(event);
        notifyAll();
    }

    private interface Tell {
        void about(PodListener listener, Pod pod);
    }

    private void tell(Pod pod, Tell tell) {
        watchers.stream()
                .filter(watcher -> watcher.node().equals(pod.getSpec().getNodeName()))
                .toList()
                .forEach(watcher -> tell.about(watcher.listener(), pod));
    }

    private void store(Pod pod) {
        pod.getMetadata().setResourceVersion(String.valueOf(++version));
        pods.put(pod.getMetadata().getUid(), pod);
        notifyAll();
    }

    private void drop(Pod pod) {
        pods.remove(pod.getMetadata().getUid());
        notifyAll();
        tell(pod, PodListener::gone);
    }

    private Pod require(String uid) {
        return pod(uid).orElseThrow(() -> new IllegalArgumentException("no pod with UID " + uid));
    }

    private Optional<Pod> find(String namespace, String name) {
        return pods.values().stream()
                .filter(pod -> pod.getMetadata().getNamespace().equals(namespace))
                .filter(pod -> pod.getMetadata().getName().equals(name))
                .findFirst();
    }
}
