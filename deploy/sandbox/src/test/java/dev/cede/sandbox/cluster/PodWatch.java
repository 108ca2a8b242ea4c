package dev.cede.sandbox.cluster;

import dev.cede.sandbox.kubernetes.Kubernetes;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** All that the API server told about the pods of a run, in its order. */
public final class PodWatch implements AutoCloseable {
    /**
     * A version of a pod.
     *
     * @param nanos when it came, on the clock of {@link System#nanoTime()}
     * @param deleted it is the last one: the object is gone
     */
    public record Told(long nanos, boolean deleted, Pod pod) {
        public String uid() {
            return pod.getMetadata().getUid();
        }

        public String name() {
            return pod.getMetadata().getName();
        }

        /** Versions are in the order in which the API server took the writes, of all pods. */
        public long version() {
            return Long.parseLong(pod.getMetadata().getResourceVersion());
        }

        public boolean bound() {
            return node() != null;
        }

        /** Where it is bound to, if it is. */
        public String node() {
            return pod.getSpec().getNodeName();
        }

        public boolean running() {
            return "Running".equals(phase());
        }

        public String phase() {
            return pod.getStatus().getPhase();
        }

        public boolean leaving() {
            return pod.getMetadata().getDeletionTimestamp() != null;
        }

        /** Kubelet would give its devices out again. */
        public boolean over() {
            return deleted || phase().equals("Succeeded") || phase().equals("Failed");
        }

        /** Kubelet would not have it. */
        public boolean rejected() {
            return "UnexpectedAdmissionError".equals(pod.getStatus().getReason());
        }

        /** A container of it ended with this exit code, now or before its last start. */
        public boolean exitedWith(int code) {
            return pod.getStatus().getContainerStatuses().stream()
                    .flatMap(Told::ends)
                    .anyMatch(end -> end == code);
        }

        private static Stream<Integer> ends(ContainerStatus status) {
            return Stream.of(status.getState(), status.getLastState())
                    .filter(state -> state != null && state.getTerminated() != null)
                    .map(state -> state.getTerminated().getExitCode());
        }
    }

    private final Consumer<Told> listener;
    private final List<Told> all = new ArrayList<>();
    private final SortedMap<String, Told> present = new TreeMap<>();
    private WatcherException broken;
    private Watch watch;

    private PodWatch(Consumer<Told> listener) {
        this.listener = listener;
    }

    /**
     * Watches from now on.
     *
     * @param listener called for each version, one after the other
     */
    public static PodWatch open(Kubernetes kubernetes, Consumer<Told> listener) {
        return open(kubernetes.client(), kubernetes.namespace(), listener);
    }

    /** The same of any namespace. */
    public static PodWatch open(
            KubernetesClient client, String namespace, Consumer<Told> listener) {
        PodWatch pods = new PodWatch(listener);
        pods.watch = client.pods().inNamespace(namespace).watch(pods.new Row());
        return pods;
    }

    private final class Row implements Watcher<Pod> {
        @Override
        public void eventReceived(Action action, Pod pod) {
            Told told = new Told(System.nanoTime(), action == Action.DELETED, pod);
            take(told);
            listener.accept(told);
        }

        @Override
        public void onClose(WatcherException cause) {
            breakOff(cause);
        }
    }

    private synchronized void take(Told told) {
        all.add(told);
        if (told.deleted()) {
            present.remove(told.uid());
        } else {
            present.put(told.uid(), told);
        }
    }

    private synchronized void breakOff(WatcherException cause) {
        broken = cause;
    }

    private void requireWhole() {
        if (broken != null) {
            throw new IllegalStateException("the watch of pods broke", broken);
        }
    }

    public synchronized List<Told> all() {
        requireWhole();
        return List.copyOf(all);
    }

    synchronized int size() {
        requireWhole();
        return all.size();
    }

    /** Pods whose objects are there, as they were told last, by UID. */
    public synchronized SortedMap<String, Told> present() {
        requireWhole();
        return new TreeMap<>(present);
    }

    public synchronized Optional<Told> first(Predicate<Told> wanted) {
        requireWhole();
        return all.stream().filter(wanted).findFirst();
    }

    /** The first version that is so, which must come. */
    public Told await(String what, Predicate<Told> wanted) {
        return Await.present(what, () -> first(wanted));
    }

    @Override
    public void close() {
        watch.close();
    }
}
