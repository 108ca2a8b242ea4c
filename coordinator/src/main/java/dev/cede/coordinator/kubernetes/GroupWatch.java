package dev.cede.coordinator.kubernetes;

import dev.cede.coordinator.cluster.GroupRef;
import dev.cede.coordinator.loop.Event;
import dev.cede.coordinator.loop.EventSink;
import io.fabric8.kubernetes.api.model.APIResourceList;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches PodGroups. Their kinds are others' and a cluster need not have them, so each is looked for
 * now and then, and watched from when it is there.
 */
final class GroupWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GroupWatch.class);
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(30);
    private static final String PLURAL = "podgroups";

    private final KubernetesClient client;
    private final EventSink sink;
    private final Runnable listed;
    private final Map<GroupRef.Kind, SharedIndexInformer<?>> informers =
            new EnumMap<>(GroupRef.Kind.class);
    private final Set<GroupRef.Kind> missed = EnumSet.noneOf(GroupRef.Kind.class);
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("cede-groups").factory());

    /** How many kinds there are. */
    static final int KINDS = GroupRef.Kind.values().length;

    private GroupWatch(KubernetesClient client, EventSink sink, Runnable listed) {
        this.client = client;
        this.sink = sink;
        this.listed = listed;
    }

    /**
     * Returns at once.
     *
     * @param listed run once a kind, when its objects were told or the cluster does not have it
     */
    static GroupWatch start(KubernetesClient client, EventSink sink, Runnable listed) {
        GroupWatch watch = new GroupWatch(client, sink, listed);
        var unused = watch.thread.scheduleWithFixedDelay(
                watch::look, 0, LOOK_AGAIN.toMillis(), TimeUnit.MILLISECONDS);
        return watch;
    }

    private synchronized void look() {
        for (GroupRef.Kind kind : GroupRef.Kind.values()) {
            if (!informers.containsKey(kind)) {
                look(kind);
            }
        }
    }

    private void look(GroupRef.Kind kind) {
        try {
            if (isServed(kind)) {
                // A kind that came later was counted as listed when it was missing.
                informers.put(kind, watch(kind, missed.contains(kind) ? () -> {} : listed));
            } else if (missed.add(kind)) {
                listed.run();
            }
        } catch (KubernetesClientException e) {
            LOG.warn("groups_unknown kind={} error=\"{}\"", kind, e.toString());
        }
    }

    private boolean isServed(GroupRef.Kind kind) {
        APIResourceList served = client.getApiResources(group(kind) + "/" + version(kind));
        return served != null
                && served.getResources().stream()
                        .anyMatch(resource -> resource.getName().equals(PLURAL));
    }

    private SharedIndexInformer<?> watch(GroupRef.Kind kind, Runnable whenListed) {
        ResourceDefinitionContext context = new ResourceDefinitionContext.Builder()
                .withGroup(group(kind))
                .withVersion(version(kind))
                .withKind("PodGroup")
                .withPlural(PLURAL)
                .withNamespaced(true)
                .build();
        LOG.info("groups_watched kind={}", kind);
        var informer = ClusterWatch.informer(
                client.genericKubernetesResources(context).inAnyNamespace(),
                GenericKubernetesResource::new,
                new FactsHandler<GenericKubernetesResource>(
                        object -> new Event.GroupSeen(GroupFactsReader.read(kind, object)),
                        object -> new Event.GroupGone(GroupFactsReader.ref(kind, object)),
                        whenListed,
                        sink));
        informer.start();
        return informer;
    }

    static String path(GroupRef group) {
        return "/apis/" + group(group.kind()) + "/" + version(group.kind()) + "/namespaces/"
                + group.namespace() + "/" + PLURAL + "/" + group.name();
    }

    private static String group(GroupRef.Kind kind) {
        return switch (kind) {
            case VOLCANO -> "scheduling.volcano.sh";
            case SCHEDULER_PLUGINS -> "scheduling.x-k8s.io";
        };
    }

    private static String version(GroupRef.Kind kind) {
        return switch (kind) {
            case VOLCANO -> "v1beta1";
            case SCHEDULER_PLUGINS -> "v1alpha1";
        };
    }

    @Override
    public synchronized void close() {
        thread.shutdownNow();
        informers.values().forEach(SharedIndexInformer::close);
    }
}
