package dev.cede.coordinator.kubernetes;

import dev.cede.coordinator.cluster.GroupFacts;
import dev.cede.coordinator.cluster.GroupRef;
import dev.cede.coordinator.cluster.NodeFacts;
import dev.cede.coordinator.cluster.OwnerFacts;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.kubernetes.ApiCalls.Call;
import dev.cede.coordinator.kubernetes.Bodies.Condition;
import dev.cede.coordinator.loop.Effect;
import dev.cede.coordinator.loop.Event;
import dev.cede.coordinator.loop.EventSink;
import dev.cede.model.PodRef;
import dev.cede.testbed.apiserver.ApiRequest;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;

import java.time.Instant;
import java.util.Map;
import java.util.function.Function;

/** The requests that {@link KubernetesEffects} makes, and what watches tell, for the simulation. */
public final class ShellRequests {
    private ShellRequests() {}

    public static ApiRequest binding(Effect.Bind bind) {
        String body = Bodies.binding(bind.pod(), bind.node(), bind.annotations());
        return request(Call.post(path(bind.pod().ref()) + "/binding", body));
    }

    /** The first call of an eviction; its answer names the version for {@link #delete}. */
    public static ApiRequest mark(Effect.Evict evict, Instant now) {
        PodFacts victim = evict.victim();
        Condition condition =
                new Condition("DisruptionTarget", "True", "PreemptionByScheduler", evict.message());
        return status(
                victim.ref(),
                Bodies.condition(victim.ref(), victim.resourceVersion(), condition, now));
    }

    public static ApiRequest fence(Effect.Fence fence, Instant now) {
        PodFacts pod = fence.pod();
        Condition condition = Fence.write(fence.epoch(), now);
        return status(
                pod.ref(), Bodies.condition(pod.ref(), pod.resourceVersion(), condition, now));
    }

    public static ApiRequest delete(PodRef victim, String version) {
        return request(Call.delete(path(victim), Bodies.delete(victim, version)));
    }

    public static ApiRequest nomination(Effect.Nominate nominate) {
        return status(nominate.pod(), Bodies.nomination(nominate.pod(), nominate.node()));
    }

    public static ApiRequest pending(Effect.ReportPending report, Instant now) {
        Condition condition =
                new Condition("PodScheduled", "False", report.reason(), report.message());
        return status(report.pod(), Bodies.condition(report.pod(), "", condition, now));
    }

    public static ApiRequest phase(Effect.MoveGroup move) {
        return request(
                Call.merge(GroupWatch.path(move.group().ref()) + "/status", Bodies.phase(move)));
    }

    public static ApiRequest get(PodRef pod) {
        return request(Call.get(path(pod)));
    }

    public static ApiRequest find(Effect.FindPod find) {
        return new ApiRequest(
                "GET",
                "/api/v1/pods",
                Map.of("fieldSelector", "spec.nodeName=" + find.node()),
                "",
                "",
                "");
    }

    private static ApiRequest status(PodRef pod, String body) {
        return request(Call.patch(path(pod) + "/status", body));
    }

    private static String path(PodRef pod) {
        return "/api/v1/namespaces/" + pod.namespace() + "/pods/" + pod.name();
    }

    private static ApiRequest request(Call call) {
        return new ApiRequest(
                call.method(), call.path(), Map.of(), call.contentType(), "", call.body());
    }

    public static ResourceEventHandler<Pod> pods(
            Function<Pod, PodFacts> facts, Runnable listed, EventSink sink) {
        return new FactsHandler<>(
                pod -> new Event.PodSeen(facts.apply(pod)),
                pod -> new Event.PodGone(PodFactsReader.ref(pod)),
                listed,
                sink);
    }

    public static ResourceEventHandler<Node> nodes(
            Function<Node, NodeFacts> facts, Runnable listed, EventSink sink) {
        return new FactsHandler<>(
                node -> new Event.NodeSeen(facts.apply(node)),
                node -> new Event.NodeGone(node.getMetadata().getName()),
                listed,
                sink);
    }

    public static <T extends HasMetadata> ResourceEventHandler<T> owners(
            Function<T, OwnerFacts> facts, Runnable listed, EventSink sink) {
        return new FactsHandler<>(
                owner -> new Event.OwnerSeen(facts.apply(owner)),
                ShellRequests::gone,
                listed,
                sink);
    }

    public static GroupFacts facts(GroupRef.Kind kind, GenericKubernetesResource group) {
        return GroupFactsReader.read(kind, group);
    }

    public static ResourceEventHandler<GenericKubernetesResource> groups(
            GroupRef.Kind kind, Runnable listed, EventSink sink) {
        return new FactsHandler<>(
                group -> new Event.GroupSeen(facts(kind, group)),
                group -> new Event.GroupGone(GroupFactsReader.ref(kind, group)),
                listed,
                sink);
    }

    private static Event gone(HasMetadata owner) {
        return new Event.OwnerGone(owner.getMetadata().getUid());
    }
}
