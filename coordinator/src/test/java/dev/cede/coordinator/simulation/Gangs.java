package dev.cede.coordinator.simulation;

import dev.cede.coordinator.cluster.GroupFacts;
import dev.cede.coordinator.cluster.GroupRef;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.loop.Effect;
import dev.cede.coordinator.loop.SavedPlan;
import dev.cede.testbed.apiserver.ApiRequest;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import tools.jackson.databind.node.ObjectNode;

/** Explicit groups of pods: users make them, and what holds of them (E1). */
final class Gangs {
    private static final Map<GroupRef.Kind, String> PATHS = Map.of(
            GroupRef.Kind.VOLCANO,
                    "/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups",
            GroupRef.Kind.SCHEDULER_PLUGINS,
                    "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/default/podgroups");
    private static final List<String> ANNOTATIONS =
            List.of("scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name");
    private static final String LABEL = "scheduling.x-k8s.io/pod-group";

    /** How far apart the parts of a gang are made. */
    private static final long SPREAD = 2_500;

    private final World world;
    private final Workload workload;
    private final Draws draws;
    private int names;

    Gangs(World world, Workload workload, Draws draws) {
        this.world = world;
        this.workload = workload;
        this.draws = draws;
    }

    /** The group and its members, in any order; it may have more members than it needs. */
    void create() {
        String name = "gang" + ++names;
        GroupRef.Kind kind = draws.pick(List.of(GroupRef.Kind.values()));
        int members = draws.count(2, 4);
        int least = draws.chance(0.7) ? members : draws.count(1, members);
        world.tally.count("groups made");
        later(() -> workload.must(ApiRequest.post(
                PATHS.get(kind),
                Api.object("{'metadata':{'name':'%s'},'spec':{'minMember':%d}}"
                        .formatted(name, least)))));
        ObjectNode first = member(workload.pod(false), kind, name);
        for (int i = 1; i < members; i++) {
            ObjectNode next = member(workload.pod(false), kind, name);
            if (draws.chance(0.7)) {
                workload.likeness(next, first);
            }
            later(() -> workload.createPod(next));
        }
        workload.createPod(first);
    }

    private void later(Runnable make) {
        if (draws.chance(0.5)) {
            make.run();
        } else {
            world.time.after(draws.skewed(1, SPREAD), make);
        }
    }

    private ObjectNode member(ObjectNode pod, GroupRef.Kind kind, String group) {
        ObjectNode metadata = pod.withObject("metadata");
        switch (kind) {
            case VOLCANO -> metadata.withObject("annotations").put(draws.pick(ANNOTATIONS), group);
            case SCHEDULER_PLUGINS -> metadata.withObject("labels").put(LABEL, group);
        }
        return pod;
    }

    /** Below its minimum nothing of a group starts: the others have a place, or get one with it. */
    static void bindDecided(World world, Effect.Bind bind) {
        bind.pod().group().flatMap(world.api::group).ifPresent((GroupFacts group) -> {
            Set<String> together = new TreeSet<>(List.of(bind.pod().uid()));
            world.everSeen().stream()
                    .filter(pod -> pod.bound() && isOf(group, pod))
                    .forEach(pod -> together.add(pod.uid()));
            world.sites.stream()
                    .flatMap(site -> Checks.reservations(site).stream())
                    .flatMap(reserved -> world.lastOf(reserved.pod().uid()).stream())
                    .filter(pod -> isOf(group, pod))
                    .forEach(pod -> together.add(pod.uid()));
            for (SavedPlan plan : world.zookeeper.open()) {
                plan.placements().stream()
                        .flatMap(place -> world.lastOf(place.pod().uid()).stream())
                        .filter(pod -> isOf(group, pod))
                        .forEach(pod -> together.add(pod.uid()));
            }
            Violation.unless(
                    together.size() >= group.minMember(),
                    "started below its group's minimum",
                    () -> bind.pod().ref() + " of " + group + " with " + together);
        });
    }

    static boolean isOf(GroupFacts group, PodFacts pod) {
        return pod.group().filter(group.ref()::equals).isPresent();
    }
}
