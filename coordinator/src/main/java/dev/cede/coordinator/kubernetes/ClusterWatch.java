package dev.cede.coordinator.kubernetes;

import dev.cede.coordinator.loop.Event;
import dev.cede.coordinator.loop.EventSink;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches pods, nodes, and the owners and groups of pods. After the first list of each kind was told, {@link
 * Event.CachesSynced} follows, once. A watch that breaks is taken up again for ever.
 */
public final class ClusterWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterWatch.class);

    /** Objects a page of a list. */
    private static final long PAGE = 500;

    private final EventSink sink;
    private final List<SharedIndexInformer<?>> informers = new ArrayList<>();
    private final AtomicInteger unlisted = new AtomicInteger();
    private GroupWatch groups;

    private ClusterWatch(EventSink sink) {
        this.sink = sink;
    }

    /** Starts all watches and returns at once. */
    public static ClusterWatch start(KubernetesClient client, EventSink sink) {
        ClusterWatch watch = new ClusterWatch(sink);
        watch.add(client);
        watch.unlisted.set(watch.informers.size() + GroupWatch.KINDS);
        watch.informers.forEach(SharedIndexInformer::start);
        watch.groups = GroupWatch.start(client, sink, watch::listed);
        return watch;
    }

    private void add(KubernetesClient client) {
        // Nodes and owners first: with them known, a pod can be judged when it is told.
        add(
                client.nodes(),
                Node::new,
                node -> new Event.NodeSeen(NodeFactsReader.read(node)),
                node -> new Event.NodeGone(node.getMetadata().getName()));
        add(
                client.apps().replicaSets().inAnyNamespace(),
                ReplicaSet::new,
                owner -> new Event.OwnerSeen(OwnerFactsReader.read(owner)),
                ClusterWatch::ownerGone);
        add(
                client.apps().statefulSets().inAnyNamespace(),
                StatefulSet::new,
                owner -> new Event.OwnerSeen(OwnerFactsReader.read(owner)),
                ClusterWatch::ownerGone);
        add(
                client.batch().v1().jobs().inAnyNamespace(),
                Job::new,
                owner -> new Event.OwnerSeen(OwnerFactsReader.read(owner)),
                ClusterWatch::ownerGone);
        add(
                client.pods().inAnyNamespace(),
                Pod::new,
                pod -> new Event.PodSeen(PodFactsReader.read(pod)),
                pod -> new Event.PodGone(PodFactsReader.ref(pod)));
    }

    private static Event ownerGone(HasMetadata owner) {
        return new Event.OwnerGone(owner.getMetadata().getUid());
    }

    private <T extends HasMetadata> void add(
            Informable<T> kind,
            Supplier<T> blank,
            Function<T, Event> seen,
            Function<T, Event> gone) {
        informers.add(informer(kind, blank, new FactsHandler<>(seen, gone, this::listed, sink)));
    }

    /** Not started yet; it keeps no more of an object than who it is. */
    static <T extends HasMetadata> SharedIndexInformer<T> informer(
            Informable<T> kind, Supplier<T> blank, FactsHandler<T> handler) {
        SharedIndexInformer<T> informer = kind.withLimit(PAGE).runnableInformer(0);
        return informer.itemStore(new IdentityStore<>(blank))
                .addEventHandler(handler)
                .exceptionHandler((started, cause) -> retry(informer, cause));
    }

    private static boolean retry(SharedIndexInformer<?> informer, Throwable cause) {
        LOG.warn(
                "watch_broken kind={} error=\"{}\"",
                informer.getApiTypeClass().getSimpleName(),
                cause.toString());
        return true;
    }

    private void listed() {
        if (unlisted.decrementAndGet() == 0) {
            sink.post(new Event.CachesSynced());
        }
    }

    @Override
    public void close() {
        groups.close();
        informers.forEach(SharedIndexInformer::close);
    }
}
