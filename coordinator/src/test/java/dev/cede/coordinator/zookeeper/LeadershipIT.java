package dev.cede.coordinator.zookeeper;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.coordinator.loop.Event;
import dev.cede.coordinator.loop.SavedPlan;
import dev.cede.model.Epoch;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class LeadershipIT {
    private static final int TICK_MS = 500;
    private static final Duration SESSION = Duration.ofSeconds(4);

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private TestingServer server;

    /** One process that stands for leadership. */
    private final class Contender {
        final LinkedBlockingQueue<Event> events = new LinkedBlockingQueue<>();
        final TermGate gate = new TermGate();
        final Leadership leadership;

        Contender(String address) {
            leadership = Leadership.start(
                    new Leadership.Candidacy(server.getConnectString(), SESSION, address),
                    events::add,
                    gate);
            open.push(leadership);
        }

        <T extends Event> T await(Class<T> type) throws InterruptedException {
            Event event = events.poll(60, TimeUnit.SECONDS);
            return assertInstanceOf(type, event);
        }
    }

    @BeforeEach
    void startServer() throws Exception {
        server = new TestingServer(
                new InstanceSpec(null, -1, -1, -1, true, -1, TICK_MS, -1, Map.of(), "127.0.0.1"),
                true);
        open.push(server);
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable part : open) {
            part.close();
        }
    }

    private CuratorFramework client() {
        CuratorFramework client =
                CuratorFrameworkFactory.newClient(server.getConnectString(), new RetryOneTime(100));
        client.start();
        open.push(client);
        return client;
    }

    @Test
    void eachTermHasALargerEpochAndFindsThePlansOfTheOneBefore() throws Exception {
        Contender first = new Contender("a:1");
        Epoch one = first.await(Event.LeadershipGained.class).epoch();
        Contender second = new Contender("b:1");
        SavedPlan plan = PlanCodecTest.plan("p-1", one, "x");
        first.leadership.save(plan);
        assertEquals("p-1", first.await(Event.PlanSaved.class).plan());

        first.leadership.close();
        Event.LeadershipGained gained = second.await(Event.LeadershipGained.class);
        assertTrue(one.isOlderThan(gained.epoch()));
        assertEquals(List.of(plan), gained.open());

        second.leadership.closePlan(gained.epoch(), "p-1", "done");
        assertEquals("p-1", second.await(Event.PlanClosed.class).plan());
    }

    @Test
    void whoDoesNotLeadKnowsTheLeader() throws Exception {
        Contender first = new Contender("a:1");
        first.await(Event.LeadershipGained.class);
        Contender second = new Contender("b:1");
        await(() -> second.leadership.leader().equals("a:1"));
        assertTrue(second.events.isEmpty());
    }

    @Test
    void aPlanIsNotSavedOnceTheEpochIsAnother() throws Exception {
        Contender contender = new Contender("a:1");
        Epoch epoch = contender.await(Event.LeadershipGained.class).epoch();
        CuratorFramework other = client();
        other.setData().forPath(Paths.EPOCH, "77 b:1".getBytes(StandardCharsets.UTF_8));

        contender.leadership.save(PlanCodecTest.plan("p-1", epoch, "x"));
        contender.await(Event.LeadershipLost.class);
        assertEquals(List.of(), other.getChildren().forPath(Paths.PLANS));
        assertEquals(
                new Epoch(78), contender.await(Event.LeadershipGained.class).epoch());
    }

    @Test
    void aPlanIsNotSavedOnceTheLatchIsGone() throws Exception {
        Contender contender = new Contender("a:1");
        Epoch epoch = contender.await(Event.LeadershipGained.class).epoch();
        CuratorFramework other = client();
        String latch = other.getChildren().forPath(Paths.LATCH).getFirst();
        other.delete().forPath(Paths.LATCH + "/" + latch);

        contender.leadership.save(PlanCodecTest.plan("p-1", epoch, "x"));
        contender.await(Event.LeadershipLost.class);
        assertEquals(List.of(), other.getChildren().forPath(Paths.PLANS));
    }

    @Test
    void savingAgainIsTheSameAndAnotherPlanOfTheSameIdIsRefused() throws Exception {
        Contender contender = new Contender("a:1");
        Epoch epoch = contender.await(Event.LeadershipGained.class).epoch();
        contender.leadership.save(PlanCodecTest.plan("p-1", epoch, "x"));
        contender.await(Event.PlanSaved.class);
        // As after a save whose answer was lost, and that was sent again.
        contender.leadership.save(PlanCodecTest.plan("p-1", epoch, "x"));
        contender.await(Event.PlanSaved.class);
        contender.leadership.save(PlanCodecTest.plan("p-1", epoch, "y"));
        contender.await(Event.PlanNotSaved.class);
    }

    /** E13: the old plan goes and its successor comes in one transaction, or neither. */
    @Test
    void aPlanIsReplacedInOneTransaction() throws Exception {
        Contender contender = new Contender("a:1");
        Epoch epoch = contender.await(Event.LeadershipGained.class).epoch();
        contender.leadership.save(PlanCodecTest.plan("p-1", epoch, "x"));
        contender.await(Event.PlanSaved.class);
        contender.leadership.replace(List.of("p-1"), "why", PlanCodecTest.plan("p-2", epoch, "x"));
        assertEquals("p-2", contender.await(Event.PlanSaved.class).plan());
        contender.leadership.replace(List.of("p-1"), "why", PlanCodecTest.plan("p-3", epoch, "x"));
        assertEquals("p-3", contender.await(Event.PlanNotSaved.class).plan());
        assertEquals(List.of("p-2"), client().getChildren().forPath(Paths.PLANS));
    }

    /** F5. */
    @Test
    void aPlanOfMoreThanTheLimitIsRefused() throws Exception {
        Contender contender = new Contender("a:1");
        Epoch epoch = contender.await(Event.LeadershipGained.class).epoch();
        String reason = "x".repeat(PlanCodec.MAX_BYTES);
        contender.leadership.save(PlanCodecTest.plan("p-1", epoch, reason));
        String why = contender.await(Event.PlanNotSaved.class).reason();
        assertTrue(why.contains("at most " + PlanCodec.MAX_BYTES), why);
    }

    @Test
    void aShortOutageSuspendsTheTermAndNothingStartsMeanwhile() throws Exception {
        Contender contender = new Contender("a:1");
        Epoch epoch = contender.await(Event.LeadershipGained.class).epoch();
        assertTrue(contender.gate.mayStart(epoch.value()));

        server.stop();
        contender.await(Event.LeadershipSuspended.class);
        SavedPlan plan = PlanCodecTest.plan("p-1", epoch, "x");
        contender.leadership.save(plan);
        server.restart();

        contender.await(Event.LeadershipResumed.class);
        assertTrue(contender.gate.mayStart(epoch.value()));
        contender.await(Event.PlanSaved.class);
    }

    @Test
    void anotherEpochAfterAnOutageIsTheEndOfTheTerm() throws Exception {
        Contender contender = new Contender("a:1");
        Epoch epoch = contender.await(Event.LeadershipGained.class).epoch();
        CuratorFramework other = client();
        other.setData().forPath(Paths.EPOCH, "77 b:1".getBytes(StandardCharsets.UTF_8));
        server.stop();
        contender.await(Event.LeadershipSuspended.class);
        server.restart();
        contender.await(Event.LeadershipLost.class);
        assertFalse(contender.gate.mayStart(epoch.value()));
        assertEquals(
                new Epoch(78), contender.await(Event.LeadershipGained.class).epoch());
    }

    /** As after a ZooKeeper that was set up anew, while agents and pods remember. */
    @Test
    void whoMeetsALargerEpochElsewhereStepsDownAndLeadsAboveIt() throws Exception {
        Contender contender = new Contender("a:1");
        Epoch epoch = contender.await(Event.LeadershipGained.class).epoch();
        contender.leadership.stepDown(epoch, new Epoch(77));
        contender.await(Event.LeadershipLost.class);
        assertFalse(contender.gate.mayStart(epoch.value()));
        assertEquals(
                new Epoch(78), contender.await(Event.LeadershipGained.class).epoch());
    }

    @Test
    void whatATermThatIsOverMetEndsNoOther() throws Exception {
        Contender contender = new Contender("a:1");
        Epoch epoch = contender.await(Event.LeadershipGained.class).epoch();
        contender.leadership.stepDown(epoch, new Epoch(77));
        contender.await(Event.LeadershipLost.class);
        Epoch next = contender.await(Event.LeadershipGained.class).epoch();
        contender.leadership.stepDown(epoch, new Epoch(77));
        contender.leadership.save(PlanCodecTest.plan("p-1", next, "x"));
        contender.await(Event.PlanSaved.class);
    }

    @Test
    void anOutageLongerThanTheSessionIsTheEndOfTheTerm() throws Exception {
        Contender contender = new Contender("a:1");
        Epoch epoch = contender.await(Event.LeadershipGained.class).epoch();
        server.stop();
        contender.await(Event.LeadershipSuspended.class);
        contender.await(Event.LeadershipLost.class);
        assertFalse(contender.gate.mayStart(epoch.value()));
        server.restart();
        assertTrue(
                epoch.isOlderThan(contender.await(Event.LeadershipGained.class).epoch()));
    }

    /** A condition that holds sooner or later. */
    private interface Condition {
        boolean holds() throws Exception;
    }

    private static void await(Condition condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.holds()) {
            assertTrue(System.nanoTime() < deadline, "not within a minute");
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }
}
