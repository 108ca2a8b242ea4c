package dev.cede.testbed.apiserver;

import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.Watchable;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A watch of pods, whose events are taken one by one. */
final class PodWatch implements Watcher<Pod>, AutoCloseable {

    private final BlockingQueue<Heard> events = new LinkedBlockingQueue<>();
    private Watch watch;

    /** One event. */
    record Heard(Action action, Pod pod) {

        @Override
        public String toString() {
            return action + " " + pod.getMetadata().getName();
        }
    }

    static PodWatch of(Watchable<Pod> some, ListOptions options) {
        PodWatch events = new PodWatch();
        events.watch = some.watch(options, events);
        return events;
    }

    /** From a version on, which the server must still know. */
    static PodWatch of(Watchable<Pod> some, String version) {
        return of(some, new ListOptionsBuilder().withResourceVersion(version).build());
    }

    /** One pod, from a version on. */
    static PodWatch of(KubernetesClient client, String namespace, String pod, String version) {
        return of(client.pods().inNamespace(namespace).withName(pod), version);
    }

    @Override
    public void eventReceived(Action action, Pod pod) {
        events.add(new Heard(action, pod));
    }

    @Override
    public void onClose(WatcherException cause) {
        // What was expected is missed then.
    }

    Heard next() {
        return ApiServerContract.take(events);
    }

    @Override
    public void close() {
        watch.close();
    }
}
