package dev.cede.sandbox.cluster;

import dev.cede.sandbox.cluster.PodWatch.Told;
import dev.cede.sandbox.kubernetes.GpuNode;
import dev.cede.sandbox.machine.Machines;
import dev.cede.testbed.cluster.ClusterNode;
import dev.cede.v1.InspectGrpc;
import dev.cede.v1.InspectGrpc.InspectBlockingStub;
import dev.cede.v1.ListPlansRequest;

import io.grpc.ManagedChannel;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** What {@link BooksClusterIT} does to its nodes, and all that it looks at. */
final class BooksWorld implements AutoCloseable {
    /** Longer than whatever the coordinator waits before its next try. */
    private static final Duration QUIET = Duration.ofSeconds(3);

    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final long CALL_SECONDS = 10;

    private record Node(ClusterNode machine, AuditedNode audited) {}

    private final FreshSandbox sandbox;
    private final Machines machines;
    private final PodWatch pods;
    private final ManagedChannel coordinator;
    private final Map<String, Node> nodes = new TreeMap<>();
    private final Disruptions disruptions = new Disruptions();
    private int rejectionsTold;

    /**
     * Opens all that looks.
     *
     * @param sandbox which runs
     * @param nodes on which it does
     */
    BooksWorld(FreshSandbox sandbox, List<ClusterNode> nodes) {
        this.sandbox = sandbox;
        this.machines = sandbox.machines();
        this.pods = PodWatch.open(sandbox.kubernetes(), told -> {});
        this.coordinator = machines.channel(machines.coordinatorAddress());
        nodes.forEach(node -> this.nodes.put(node.name(), open(node)));
    }

    private Node open(ClusterNode machine) {
        GpuNode node = sandbox.kubernetes().nodes().stream()
                .filter(each -> each.name().equals(machine.name()))
                .findFirst()
                .orElseThrow();
        String agent = machines.agentAddresses().get(machine.name());
        return new Node(machine, AuditedNode.of(node, machine.devicePluginDirectory(), agent));
    }

    List<String> nodeNames() {
        return List.copyOf(nodes.keySet());
    }

    PodWatch pods() {
        return pods;
    }

    /** @param meanwhile done while it is dead */
    void killAgentAndStartIt(String name, Runnable meanwhile) {
        Node node = nodes.get(name);
        disruptions.during(
                name,
                () -> {
                    machines.killAgent(name);
                    meanwhile.run();
                    machines.startAgent(name);
                },
                node.audited()::serves);
    }

    /** @param meanwhile done while it is away */
    void restartKubelet(String name, Runnable meanwhile) {
        Node node = nodes.get(name);
        disruptions.during(
                name,
                () -> {
                    node.machine().stopKubelet();
                    meanwhile.run();
                    node.machine().startKubelet();
                },
                node.audited()::serves);
    }

    /** So many, or as many as come while some do. */
    void awaitPodEvents(int count) {
        int wanted = pods.size() + count;
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        Await.until(
                "some pod changes", () -> pods.size() >= wanted || System.nanoTime() > deadline);
    }

    /** Until nothing is under way, and nothing has changed for a while. */
    void awaitQuiet() {
        long[] since = {System.nanoTime()};
        List<?>[] last = {List.of()};
        Await.until("all is quiet", () -> {
            sandbox.requireSoundParts();
            List<Object> now = picture();
            if (!isAtRest() || !now.equals(last[0])) {
                last[0] = now;
                since[0] = System.nanoTime();
            }
            return System.nanoTime() - since[0] >= QUIET.toNanos();
        });
    }

    /** What changes when anything does. */
    private List<Object> picture() {
        List<Object> picture = new ArrayList<>();
        picture.add(pods.size());
        nodes.values().forEach(node -> picture.add(node.audited().booksIfAny()));
        return picture;
    }

    private boolean isAtRest() {
        return plans() == 0
                && pods.present().values().stream().allMatch(BooksWorld::isAtRest)
                && nodes.values().stream().allMatch(node -> node.audited().isAtRest());
    }

    private int plans() {
        InspectBlockingStub inspect = InspectGrpc.newBlockingStub(coordinator);
        return inspect.withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS)
                .listPlans(ListPlansRequest.getDefaultInstance())
                .getPlansCount();
    }

    private static boolean isAtRest(Told pod) {
        boolean waits = !pod.bound()
                && pod.pod().getStatus().getConditions().stream()
                        .anyMatch(condition -> "PodScheduled".equals(condition.getType())
                                && "False".equals(condition.getStatus()));
        boolean runs = pod.running()
                && pod.pod().getStatus().getContainerStatuses().stream()
                        .allMatch(status -> status.getState().getRunning() != null);
        return !pod.leaving() && (waits || runs || pod.over());
    }

    /** What does not agree on some node; all is quiet. */
    List<String> differences() {
        return nodes.values().stream()
                .flatMap(node -> node.audited().differences(pods.present().values()).stream())
                .toList();
    }

    private List<Told> rejections() {
        return pods.all().stream()
                .filter(told ->
                        "Failed".equals(told.phase()) && told.pod().getStatus().getReason() != null)
                .filter(told -> pods.first(other ->
                                other.uid().equals(told.uid()) && "Failed".equals(other.phase()))
                        .filter(told::equals)
                        .isPresent())
                .toList();
    }

    /** Pods that kubelet would not have though neither it nor the agent was away. */
    List<String> unexplainedRejections() {
        return rejections().stream()
                .filter(rejected -> !disruptions.explains(
                        pods.first(told -> told.uid().equals(rejected.uid()) && told.bound())
                                .orElseThrow(),
                        rejected))
                .map(BooksWorld::words)
                .toList();
    }

    private static String words(Told rejected) {
        return rejected.name() + " on " + rejected.node() + ": "
                + rejected.pod().getStatus().getReason() + ", "
                + rejected.pod().getStatus().getMessage();
    }

    String summary() {
        long running = pods.present().values().stream().filter(Told::running).count();
        return "%d of %d pods run; up to now %d disruptions, %d pods rejected"
                .formatted(
                        running,
                        pods.present().size(),
                        disruptions.count(),
                        rejections().size());
    }

    /** Those since it was asked last, whether explained or not. */
    List<String> newRejections() {
        List<Told> all = rejections();
        List<Told> fresh = all.subList(rejectionsTold, all.size());
        rejectionsTold = all.size();
        return fresh.stream().map(BooksWorld::words).toList();
    }

    void removePodsThatAreOver() {
        pods.present().values().stream()
                .filter(Told::over)
                .forEach(pod -> sandbox.pod(pod.name()).delete());
    }

    @Override
    public void close() {
        nodes.values().forEach(node -> node.audited().close());
        coordinator.shutdownNow();
        pods.close();
    }
}
