package dev.cede.coordinator.simulation;

import dev.cede.coordinator.cluster.GroupFacts;
import dev.cede.coordinator.cluster.GroupRef;
import dev.cede.coordinator.cluster.NodeFacts;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.kubernetes.NodeFactsReader;
import dev.cede.coordinator.kubernetes.PodFactsReader;
import dev.cede.coordinator.kubernetes.ShellRequests;
import dev.cede.testbed.apiserver.ApiCore;
import dev.cede.testbed.apiserver.ApiReply;
import dev.cede.testbed.apiserver.ApiRequest;
import dev.cede.testbed.apiserver.Watch;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The API server: the test bed's core, and all that ever happened in it, for late watches. */
final class Api {
    static final KubernetesSerialization JSON = new KubernetesSerialization();
    static final JsonMapper TREES = JsonMapper.builder().build();
    private static final String PODS = "/api/v1/pods?watch=1";
    private static final String NODES = "/api/v1/nodes?watch=1";
    private static final String REPLICA_SETS = "/apis/apps/v1/replicasets?watch=1";
    private static final String STATEFUL_SETS = "/apis/apps/v1/statefulsets?watch=1";
    private static final String JOBS = "/apis/batch/v1/jobs?watch=1";
    private static final Map<GroupRef.Kind, String> GROUPS = Map.of(
            GroupRef.Kind.VOLCANO, "/apis/scheduling.volcano.sh/v1beta1/podgroups?watch=1",
            GroupRef.Kind.SCHEDULER_PLUGINS,
                    "/apis/scheduling.x-k8s.io/v1alpha1/podgroups?watch=1");

    /** A watched change; a deletion carries the object as it was last. */
    record Change<T>(long at, boolean deleted, T object) {}

    /** All changes of a kind, and who wants to know of new ones. */
    static final class History<T extends HasMetadata> {
        final List<Change<T>> changes = new ArrayList<>();
        final Map<String, T> now = new LinkedHashMap<>();
        private final List<Runnable> listeners = new ArrayList<>();
        private final Watch watch;
        private final Class<T> type;
        private boolean told;

        private History(Watch watch, Class<T> type) {
            this.watch = watch;
            this.type = type;
        }

        void listen(Runnable listener) {
            listeners.add(listener);
        }
    }

    private final ApiCore core;
    private final Timeline time;
    final History<Pod> pods;
    final History<Node> nodes;
    final History<ReplicaSet> replicaSets;
    final History<StatefulSet> statefulSets;
    final History<Job> jobs;
    final Map<GroupRef.Kind, History<GenericKubernetesResource>> groups =
            new EnumMap<>(GroupRef.Kind.class);
    private final List<History<?>> all = new ArrayList<>();
    private final Map<String, PodFacts> facts = new HashMap<>();

    Api(long seed, Timeline time) {
        this.time = time;
        this.core = new ApiCore(seed, ApiCore.DEFAULT_HISTORY, time.instant());
        this.pods = history(PODS, Pod.class);
        this.nodes = history(NODES, Node.class);
        this.replicaSets = history(REPLICA_SETS, ReplicaSet.class);
        this.statefulSets = history(STATEFUL_SETS, StatefulSet.class);
        this.jobs = history(JOBS, Job.class);
        for (GroupRef.Kind kind : GroupRef.Kind.values()) {
            groups.put(kind, history(GROUPS.get(kind), GenericKubernetesResource.class));
        }
    }

    private <T extends HasMetadata> History<T> history(String target, Class<T> type) {
        History<T> history = new History<>(
                core.watch(ApiRequest.get(target), time.instant()).orElseThrow(), type);
        all.add(history);
        return history;
    }

    ApiReply call(ApiRequest request) {
        ApiReply reply = core.handle(request, time.instant());
        all.forEach(this::note);
        all.forEach(Api::tell);
        return reply;
    }

    private <T extends HasMetadata> void note(History<T> history) {
        for (ObjectNode event : history.watch.poll(time.instant())) {
            T object = JSON.convertValue(event.path("object"), history.type);
            boolean deleted = event.path("type").stringValue().equals("DELETED");
            history.changes.add(new Change<>(time.now(), deleted, object));
            if (deleted) {
                history.now.remove(object.getMetadata().getUid());
            } else {
                history.now.put(object.getMetadata().getUid(), object);
            }
            history.told = true;
        }
    }

    private static void tell(History<?> history) {
        if (history.told) {
            history.told = false;
            history.listeners.forEach(Runnable::run);
        }
    }

    /** Every version of an object is read once. */
    PodFacts facts(Pod pod) {
        return facts.computeIfAbsent(
                pod.getMetadata().getResourceVersion(), version -> PodFactsReader.read(pod));
    }

    static NodeFacts facts(Node node) {
        return NodeFactsReader.read(node);
    }

    /** The pod as it is now. */
    Optional<PodFacts> pod(String uid) {
        return Optional.ofNullable(pods.now.get(uid)).map(this::facts);
    }

    Optional<GroupFacts> group(GroupRef ref) {
        return groups.get(ref.kind()).now.values().stream()
                .map(group -> ShellRequests.facts(ref.kind(), group))
                .filter(facts -> facts.ref().equals(ref))
                .findFirst();
    }

    List<PodFacts> allPods() {
        return pods.now.values().stream().map(this::facts).toList();
    }

    /** The pod that a successful GET or PATCH answered with. */
    Pod read(JsonNode body) {
        return JSON.convertValue(body, Pod.class);
    }

    List<Pod> readAll(JsonNode body) {
        return JSON.convertValue(body, PodList.class).getItems();
    }

    static ObjectNode tree(Object object) {
        return JSON.convertValue(object, ObjectNode.class);
    }

    static ObjectNode object(String text) {
        return (ObjectNode) TREES.readTree(text.replace('\'', '"'));
    }

    /** Objects as an index of the history shows them, by namespace and name. */
    static <T extends HasMetadata> Map<String, T> stateAt(
            History<T> history, int index, Function<T, String> key) {
        Map<String, T> state = new LinkedHashMap<>();
        for (Change<T> change : history.changes.subList(0, index)) {
            if (change.deleted()) {
                state.remove(key.apply(change.object()));
            } else {
                state.put(key.apply(change.object()), change.object());
            }
        }
        return state;
    }
}
