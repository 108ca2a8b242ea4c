package dev.cede.sandbox.gang;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.cede.sandbox.cluster.AuditedNode;
import dev.cede.sandbox.cluster.Await;
import dev.cede.sandbox.cluster.FreshSandbox;
import dev.cede.sandbox.cluster.HogPod;
import dev.cede.sandbox.cluster.HogPod.Ask;
import dev.cede.sandbox.cluster.PodWatch;
import dev.cede.sandbox.cluster.PodWatch.Told;
import dev.cede.sandbox.eyes.LiveProcesses;
import dev.cede.sandbox.kubernetes.CardSet;
import dev.cede.sandbox.kubernetes.GpuNode;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Nodes of one card each, and on each a pod that is in the gang's way and one that nobody may touch;
 * the gang, which has to have a place on every node; and all that has to be true afterwards.
 */
final class GangWorld implements AutoCloseable {
    static final CardSet CARDS = new CardSet(1, 64 * 128, 0);

    /** Of the coordinators, on a machine so busy that a gang's pods may take seconds to come. */
    static final Map<String, String> SETTINGS = Map.of(
            "enable_topology_aware_preemption", "true",
            "workload_settle", "5s",
            "zookeeper_session_timeout", "4s");

    /** Where a Binding names the plan that it is of. */
    private static final String PLAN = "cede.dev/plan";

    /** How pods behave that take some seconds to release their memory. */
    static final Map<String, String> CLINGING = Map.of("GPU_HOG_CLING_SECONDS", "6");

    /** What the names of the gang's pods begin with. */
    static final String GANG = "gang";

    private static final String IN_THE_WAY = "low-";
    private static final String UNTOUCHED = "stays-";
    private static final String IMPORTANT = "important";
    private static final List<Ask> MEMBER = List.of(new Ask(48, 0));
    private static final List<Ask> REST = List.of(new Ask(16, 0));
    private static final long GRACE_SECONDS = 30;
    private static final Duration BETWEEN_MEMBERS = Duration.ofMillis(200);

    /** What gpu-hog ends with where it does not get its memory. */
    private static final int OUT_OF_MEMORY = 2;

    private final FreshSandbox sandbox;
    private final int size;
    private final PodWatch pods;
    private final Leaders leaders;
    private final LiveProcesses processes;
    private final List<AuditedNode> nodes;
    private final SortedSet<String> victims = new TreeSet<>();
    private SortedMap<String, SortedSet<Long>> untouched = new TreeMap<>();

    /**
     * Opens all that looks, and waits until nothing is left of an earlier one.
     *
     * @param sandbox which runs
     * @param devicePlugins kubelet's directory of a node, as it is seen from here
     */
    GangWorld(FreshSandbox sandbox, Function<GpuNode, Path> devicePlugins) {
        List<GpuNode> machines = sandbox.kubernetes().nodes();
        Map<String, String> agents = sandbox.machines().agentAddresses();
        this.sandbox = sandbox;
        Gangs.removeAll(sandbox.kubernetes());
        this.size = machines.size();
        this.pods = PodWatch.open(sandbox.kubernetes(), told -> {});
        this.leaders = new Leaders(sandbox.machines());
        this.processes =
                new LiveProcesses(machines.stream().map(GpuNode::procRoot).toList());
        this.nodes = machines.stream()
                .map(node ->
                        AuditedNode.of(node, devicePlugins.apply(node), agents.get(node.name())))
                .toList();
        sandbox.kubernetes()
                .client()
                .resource(sandbox.kubernetes().adapted(HogPod.priorityClass(IMPORTANT, 1000)))
                .createOr(NonDeletingOperation::update);
        Await.until("all is empty", () -> isAtRest(0) && nodes.stream().allMatch(this::isEmpty));
    }

    private boolean isEmpty(AuditedNode node) {
        return node.books().getCardsList().stream().allMatch(card -> card.getSharesCount() == 0);
    }

    Leaders leaders() {
        return leaders;
    }

    List<String> nodeNames() {
        return sandbox.kubernetes().nodes().stream().map(GpuNode::name).toList();
    }

    /** Names of those that have to leave, in order. */
    List<String> victims() {
        return List.copyOf(victims);
    }

    /** Of a pod that is bound. */
    String nodeOf(String pod) {
        return pods.await(pod, told -> told.name().equals(pod) && told.bound()).node();
    }

    void pauseAgents() {
        nodeNames().forEach(sandbox.machines()::pauseAgent);
    }

    void resumeAgents() {
        nodeNames().forEach(sandbox.machines()::resumeAgent);
    }

    /** @param behaviour of those in the way */
    void fill(Map<String, String> behaviour) {
        fill(size, behaviour);
    }

    /** The one in the way on the last node is as important as the gang. */
    void fillWithoutTheLastPlace() {
        fill(size - 1, Map.of());
    }

    private void fill(int places, Map<String, String> behaviour) {
        for (int i = 0; i < size; i++) {
            String priority = i < places ? "" : IMPORTANT;
            bind(new HogPod(IN_THE_WAY + i, priority, GRACE_SECONDS, MEMBER, behaviour));
            bind(new HogPod(UNTOUCHED + i, IMPORTANT, GRACE_SECONDS, REST, Map.of()));
        }
        IntStream.range(0, places).forEach(i -> victims.add(IN_THE_WAY + i));
        Await.until("all of them run", () -> running(told -> true) == 2L * size);
        untouched = untouchedProcesses();
    }

    /** One after another: each node is full before the next is begun (B10). */
    private void bind(HogPod pod) {
        sandbox.create(pod);
        pods.await(
                pod.name() + " is bound", told -> told.name().equals(pod.name()) && told.bound());
    }

    private long running(Predicate<Told> wanted) {
        return pods.present().values().stream()
                .filter(wanted)
                .filter(told -> told.running() && !told.leaving())
                .count();
    }

    private static boolean isMember(Told told) {
        return told.name().startsWith(GANG);
    }

    /** All at once, as the pods of one Deployment. */
    void createGang() {
        sandbox.create(Gangs.deployment(member(GANG), size, sandbox.kubernetes().namespace()));
    }

    /** One by one, with an owner that does not say how many there will be. */
    void createGangOneByOne() {
        var owner = sandbox.kubernetes()
                .client()
                .resource(Gangs.owner(GANG, sandbox.kubernetes().namespace()))
                .create();
        for (int i = 0; i < size; i++) {
            sandbox.create(Gangs.ownedBy(owner, member(GANG + "-" + i)));
            Await.during(BETWEEN_MEMBERS, () -> {});
        }
    }

    private static HogPod member(String name) {
        return new HogPod(name, IMPORTANT, GRACE_SECONDS, MEMBER, Map.of());
    }

    void killTheLeaderAfterThePlanWasSaved() {
        fill(Map.of());
        pauseAgents();
        createGang();
        leaders.awaitPlan("SAVED");
        leaders.kill();
        resumeAgents();
    }

    void killTheLeaderWhileTheVictimsRelease() {
        fill(CLINGING);
        createGang();
        leaders.awaitPlan("RELEASING");
        leaders.kill();
    }

    void awaitAMemberIsBound() {
        pods.await("a member is bound", told -> isMember(told) && told.bound());
    }

    /** Until every member says that there is no place for the last of them (V06). */
    void awaitNoPlaceForTheLast() {
        Await.until("the members are told why they wait", () -> reasons().size() == size);
        String last = reasons().lastKey();
        String words = "member %d (%s/%s) finds no room"
                .formatted(size, sandbox.kubernetes().namespace(), last);
        Await.until(
                words,
                () -> reasons().values().stream().allMatch(reason -> reason.contains(words)));
    }

    /** By name. */
    private SortedMap<String, String> reasons() {
        SortedMap<String, String> reasons = new TreeMap<>();
        members()
                .forEach(told -> conditions(told, "PodScheduled")
                        .filter(condition -> "False".equals(condition.getStatus()))
                        .forEach(condition -> reasons.put(told.name(), condition.getMessage())));
        return reasons;
    }

    private static Stream<PodCondition> conditions(Told told, String type) {
        return told.pod().getStatus().getConditions().stream()
                .filter(condition -> type.equals(condition.getType()));
    }

    /** Who is in the way of the last member leaves. */
    void clearTheLastPlace() {
        sandbox.pod(IN_THE_WAY + (size - 1)).delete();
    }

    void assertNobodyWasEvicted() {
        assertEquals(List.of(), evictions());
        assertEquals(List.of(), sandbox.machines().savedPlans());
        assertEquals(2L * size, running(told -> !isMember(told)), "pods that run");
        assertNothingElseHappened();
    }

    /** It comes to that without help. */
    void assertPlacedWhole() {
        Await.until("every member runs", () -> running(GangWorld::isMember) == size);
        Await.until("no plan is left, and all is at rest", () -> isAtRest(2L * size));
        assertEquals(victims(), evictions());
        assertEquals(size, nodesOfTheGang().size(), "nodes with a member");
        assertNothingElseHappened();
        assertEquals(List.of(), differences());
    }

    private boolean isAtRest(long podsLeft) {
        return leaders.areWithoutPlans()
                && nodes.stream().allMatch(AuditedNode::isAtRest)
                && pods.present().values().stream().allMatch(Told::running)
                && pods.present().size() == podsLeft;
    }

    /** Names, one for each time that the API server took an eviction. */
    private List<String> evictions() {
        return pods.all().stream()
                .filter(told -> conditions(told, "DisruptionTarget").findAny().isPresent())
                .filter(GangWorld::isLeavingWithGrace)
                .map(told -> told.name() + " " + told.pod().getMetadata().getDeletionTimestamp())
                .distinct()
                .map(text -> text.substring(0, text.indexOf(' ')))
                .sorted()
                .toList();
    }

    /** The deletion without grace at the end is kubelet's. */
    private static boolean isLeavingWithGrace(Told told) {
        Long grace = told.pod().getMetadata().getDeletionGracePeriodSeconds();
        return grace != null && grace > 0;
    }

    private Collection<String> nodesOfTheGang() {
        return members().map(Told::node).collect(Collectors.toCollection(TreeSet::new));
    }

    private Stream<Told> members() {
        return pods.present().values().stream().filter(GangWorld::isMember);
    }

    /** All of the gang by the same one; if a leader was killed, by the one that it had saved. */
    void assertPlacedByOnePlan() {
        List<String> plans = members()
                .map(told -> told.pod().getMetadata().getAnnotations().getOrDefault(PLAN, "none"))
                .distinct()
                .toList();
        assertEquals(1, plans.size(), () -> "plans: " + plans);
        leaders.planAtTheKill().ifPresent(plan -> assertEquals(plan, plans.getFirst()));
    }

    private void assertNothingElseHappened() {
        sandbox.requireSoundParts();
        assertUntouched();
        assertEquals(List.of(), names(Told::rejected), "kubelet rejected pods");
        assertEquals(
                List.of(), names(told -> told.exitedWith(OUT_OF_MEMORY)), "there was no memory");
    }

    private List<String> names(Predicate<Told> wanted) {
        return pods.all().stream().filter(wanted).map(Told::name).distinct().toList();
    }

    /** Those that nobody may touch run as they did, whether or not the API server tells. */
    void assertUntouched() {
        assertEquals(untouched, untouchedProcesses());
    }

    /** PIDs by pod. */
    private SortedMap<String, SortedSet<Long>> untouchedProcesses() {
        SortedMap<String, SortedSet<Long>> found = new TreeMap<>();
        var alive = processes.byPod();
        pods.all().stream()
                .filter(told -> told.name().startsWith(UNTOUCHED))
                .forEach(told -> alive.getOrDefault(told.uid(), List.of())
                        .forEach(process -> found.computeIfAbsent(
                                        told.name(), first -> new TreeSet<>())
                                .add(process.pid())));
        return found;
    }

    private List<String> differences() {
        return nodes.stream()
                .flatMap(node -> node.differences(pods.present().values()).stream())
                .toList();
    }

    /** So many members have room that is held for them, as the agents say. */
    long held() {
        return nodes.stream()
                .flatMap(node -> node.books().getCardsList().stream())
                .flatMap(card -> card.getHoldsList().stream())
                .map(hold -> hold.getPod().getUid())
                .distinct()
                .count();
    }

    @Override
    public void close() {
        leaders.restore();
        nodes.forEach(AuditedNode::close);
        leaders.close();
        pods.close();
    }
}
