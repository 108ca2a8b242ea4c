package dev.cede.coordinator.zookeeper;

import dev.cede.coordinator.loop.Event;
import dev.cede.coordinator.loop.EventSink;
import dev.cede.coordinator.loop.SavedPlan;
import dev.cede.coordinator.zookeeper.PlanStore.Outcome;
import dev.cede.model.Epoch;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.SessionConnectionStateErrorPolicy;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands for leadership, and keeps plans while it leads. Terms begin and end in one thread of its
 * own; only the gate is closed at once, by whichever thread learns first. Plans are saved and
 * closed one after another.
 */
public final class Leadership implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);

    /** Between two tries of what got no answer. */
    private static final Duration PAUSE = Duration.ofMillis(250);

    /** Longest wait for a connection, within the session's time. */
    private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(5);

    private final String address;
    private final EventSink sink;
    private final TermGate gate;
    private final CuratorFramework client;
    private final EpochNode epochNode;
    private final PlanStore plans;
    private final CuratorCache epochCache;
    private final ExecutorService thread = thread("cede-leadership");

    /** Waits while a term is suspended, which the other thread must not. */
    private final ExecutorService planThread = thread("cede-plans");

    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile LeaderLatch latch;
    private volatile Optional<Term> term = Optional.empty();

    /** The largest epoch met elsewhere than in ZooKeeper. */
    private Epoch met = Epoch.NONE;

    /**
     * What is needed to stand for leadership.
     *
     * @param connect of ZooKeeper, with an optional chroot
     * @param sessionTimeout after which a leader that is silent has lost
     * @param address under which this process is reached, told to agents as the leader's
     */
    public record Candidacy(String connect, Duration sessionTimeout, String address) {}

    private Leadership(Candidacy candidacy, EventSink sink, TermGate gate) {
        this.address = candidacy.address();
        this.sink = sink;
        this.gate = gate;
        this.client = CuratorFrameworkFactory.builder()
                .connectString(candidacy.connect())
                .sessionTimeoutMs((int) candidacy.sessionTimeout().toMillis())
                .connectionTimeoutMs((int) connectionTimeout(candidacy).toMillis())
                // A lost connection is no lost session: the latch is kept, and read back.
                .connectionStateErrorPolicy(new SessionConnectionStateErrorPolicy())
                .retryPolicy(new RetryOneTime((int) PAUSE.toMillis()))
                .build();
        this.epochNode = new EpochNode(client);
        this.plans = new PlanStore(client);
        this.epochCache =
                CuratorCache.build(client, Paths.EPOCH, CuratorCache.Options.SINGLE_NODE_CACHE);
        this.latch = newLatch();
    }

    private static Duration connectionTimeout(Candidacy candidacy) {
        Duration session = candidacy.sessionTimeout();
        return session.compareTo(CONNECTION_TIMEOUT) < 0 ? session : CONNECTION_TIMEOUT;
    }

    private static ExecutorService thread(String name) {
        return Executors.newSingleThreadExecutor(
                Thread.ofPlatform().daemon().name(name).factory());
    }

    /** Returns at once; ZooKeeper need not be there yet. */
    public static Leadership start(Candidacy candidacy, EventSink sink, TermGate gate) {
        Leadership leadership = new Leadership(candidacy, sink, gate);
        leadership
                .client
                .getConnectionStateListenable()
                .addListener((client, state) -> leadership.connection(state));
        leadership.client.start();
        leadership.epochCache.start();
        leadership.startLatch();
        return leadership;
    }

    /** The address of the leader that began the last known term; empty when none is known. */
    public String leader() {
        String last = epochCache
                .get(Paths.EPOCH)
                .map(node -> EpochNode.leader(node.getData()))
                .orElse("");
        return term.isEmpty() && last.equals(address) ? "" : last;
    }

    /** Answers with PlanSaved, or PlanNotSaved once that is certain; neither if the term ends. */
    public void save(SavedPlan plan) {
        inTerm(plan.epoch(), term -> keep(term, plan, data -> plans.save(term, plan.id(), data)));
    }

    /** As {@link #save}, with the old plans removed in the same transaction. */
    public void replace(List<String> old, String reason, SavedPlan successor) {
        inTerm(successor.epoch(), term -> {
            LOG.info(
                    "plan_replaced epoch={} plan={} successor={} reason=\"{}\"",
                    term.epoch(),
                    old,
                    successor.id(),
                    reason);
            keep(term, successor, data -> plans.replace(term, old, successor.id(), data));
        });
    }

    @FunctionalInterface
    private interface Save {
        Outcome run(byte[] data) throws Exception;
    }

    private void keep(Term term, SavedPlan plan, Save save) throws Exception {
        byte[] data = PlanCodec.write(plan);
        if (data.length > PlanCodec.MAX_BYTES) {
            String size = data.length + " bytes; at most " + PlanCodec.MAX_BYTES + " are saved";
            sink.post(new Event.PlanNotSaved(plan.id(), "the plan has " + size));
            return;
        }
        Outcome outcome = save.run(data);
        while (outcome == Outcome.UNANSWERED && gate.lasts(term.epoch().value())) {
            pause();
            outcome = plans.readBack(plan.id(), data);
        }
        switch (outcome) {
            case DONE -> sink.post(new Event.PlanSaved(plan.id()));
            case NOT_DONE ->
                sink.post(new Event.PlanNotSaved(plan.id(), "ZooKeeper did not take it"));
            case NOT_OURS -> doubt(term, "a plan was refused: the epoch is not ours");
            case UNANSWERED -> LOG.warn("plan_unanswered plan={}", plan.id());
        }
    }

    /** Answers with PlanClosed, unless the term ends. */
    public void closePlan(Epoch of, String plan, String reason) {
        inTerm(of, term -> {
            Outcome outcome = plans.close(term, plan);
            while (outcome == Outcome.UNANSWERED && gate.lasts(term.epoch().value())) {
                pause();
                outcome = plans.close(term, plan);
            }
            if (outcome == Outcome.DONE) {
                LOG.info("plan_closed epoch={} plan={} reason=\"{}\"", term.epoch(), plan, reason);
                sink.post(new Event.PlanClosed(plan));
            } else if (outcome == Outcome.NOT_OURS) {
                doubt(term, "closing a plan was refused: the epoch is not ours");
            }
        });
    }

    @FunctionalInterface
    private interface InTerm {
        void run(Term term) throws Exception;
    }

    @FunctionalInterface
    private interface Step {
        void run() throws Exception;
    }

    /** What belongs to another term than the one that lasts is dropped. */
    private void inTerm(Epoch of, InTerm work) {
        term.filter(lasting -> lasting.epoch().equals(of))
                .ifPresent(asked -> run(planThread, "plan", () -> {
                    if (gate.mayStart(asked.epoch().value())) {
                        try {
                            work.run(asked);
                        } catch (InterruptedException e) {
                            throw e;
                        } catch (Exception e) {
                            // What cannot be understood must not be taken for an answer.
                            doubt(asked, e.toString());
                        }
                    }
                }));
    }

    /** The term, if it lasts, ends; a next one of ours will be above the epoch that was met. */
    public void stepDown(Epoch of, Epoch larger) {
        onThread("step_down", () -> {
            met = met.isOlderThan(larger) ? larger : met;
            if (term.filter(lasting -> lasting.epoch().equals(of)).isPresent()) {
                stepDown("epoch " + larger + " was met");
            }
        });
    }

    private void doubt(Term doubted, String why) {
        onThread("step_down", () -> {
            if (term.equals(Optional.of(doubted))) {
                stepDown(why);
            }
        });
    }

    private LeaderLatch newLatch() {
        LeaderLatch created = new LeaderLatch(client, Paths.LATCH, address);
        created.addListener(new LeaderLatchListener() {
            @Override
            public void isLeader() {
                onThread("begin", () -> beginTerm(created));
            }

            @Override
            public void notLeader() {
                if (created == latch) {
                    gate.close();
                    onThread("end", () -> endTerm("the latch was lost"));
                }
            }
        });
        return created;
    }

    private void startLatch() {
        try {
            latch.start();
        } catch (Exception e) {
            throw new IllegalStateException("the latch did not start", e);
        }
    }

    /** Tries until the term has begun or the latch is lost. */
    private void beginTerm(LeaderLatch won) throws InterruptedException {
        while (won == latch && won.hasLeadership() && term.isEmpty()) {
            try {
                plans.ensureExists();
                EpochNode.Stored epoch = epochNode.advance(address, met);
                begin(new Term(epoch.epoch(), epoch.version(), won.getLastPathIsLeader()));
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                LOG.error("term_not_begun error=\"{}\"", e.toString());
                pause();
            }
        }
    }

    private void begin(Term begun) throws Exception {
        List<SavedPlan> open = plans.open();
        gate.open(begun.epoch());
        term = Optional.of(begun);
        LOG.info("leadership_gained epoch={} open_plans={}", begun.epoch(), open.size());
        sink.post(new Event.LeadershipGained(begun.epoch(), open));
        if (!client.getZookeeperClient().isConnected()) {
            connection(ConnectionState.SUSPENDED);
        }
    }

    private void connection(ConnectionState state) {
        switch (state) {
            case SUSPENDED -> {
                gate.suspend();
                onThread("suspend", this::suspend);
            }
            case RECONNECTED -> onThread("resume", this::resume);
            case LOST -> {
                gate.close();
                onThread("lost", () -> endTerm("the session was lost"));
            }
            default -> LOG.debug("connection state={}", state);
        }
    }

    private void suspend() {
        term.ifPresent(lasting -> {
            gate.suspend();
            LOG.warn("leadership_suspended epoch={}", lasting.epoch());
            sink.post(new Event.LeadershipSuspended());
        });
    }

    private void resume() throws Exception {
        Optional<Term> lasting = term;
        if (lasting.isEmpty()) {
            return;
        }
        if (!isOurs(lasting.get())) {
            stepDown("latch or epoch are not ours any more");
            return;
        }
        gate.resume();
        LOG.info("leadership_resumed epoch={}", lasting.get().epoch());
        sink.post(new Event.LeadershipResumed());
    }

    /** Reads back both, past everything written before. */
    private boolean isOurs(Term lasting) throws InterruptedException {
        try {
            client.sync().forPath(Paths.EPOCH);
            EpochNode.Stored stored = epochNode.read();
            Stat latchNode = client.checkExists().forPath(lasting.latch());
            long session = client.getZookeeperClient().getZooKeeper().getSessionId();
            return stored.epoch().equals(lasting.epoch())
                    && stored.version() == lasting.version()
                    && latchNode != null
                    && latchNode.getEphemeralOwner() == session;
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            LOG.warn("read_back_failed error=\"{}\"", e.toString());
            return false;
        }
    }

    private void endTerm(String why) {
        gate.close();
        if (term.isPresent()) {
            LOG.warn("leadership_lost epoch={} reason=\"{}\"", term.get().epoch(), why);
            term = Optional.empty();
            sink.post(new Event.LeadershipLost(leader()));
        }
    }

    /** Ends the term by our own judgement, and stands again at the end of the queue. */
    private void stepDown(String why) {
        endTerm(why);
        closeLatch();
        latch = newLatch();
        startLatch();
    }

    private void closeLatch() {
        try {
            latch.close(LeaderLatch.CloseMode.SILENT);
        } catch (IOException | IllegalStateException e) {
            LOG.warn("latch_not_closed error=\"{}\"", e.toString());
        }
    }

    private void onThread(String what, Step step) {
        run(thread, what, step);
    }

    private static void run(ExecutorService thread, String what, Step step) {
        try {
            thread.execute(() -> {
                try {
                    step.run();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                } catch (Exception e) {
                    LOG.error("leadership_step_failed step={} error=\"{}\"", what, e.toString());
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("after close: {}", what);
        }
    }

    private static void pause() throws InterruptedException {
        Thread.sleep(PAUSE);
    }

    /** Gives leadership up, so that another need not wait for the session to end. */
    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        gate.close();
        planThread.shutdownNow();
        thread.shutdownNow();
        closeLatch();
        epochCache.close();
        client.close();
    }
}
