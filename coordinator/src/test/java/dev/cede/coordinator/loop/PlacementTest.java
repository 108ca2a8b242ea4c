package dev.cede.coordinator.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.coordinator.cluster.OwnerRef;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.model.Amount;
import dev.cede.model.CardId;
import dev.cede.model.Order;
import dev.cede.model.PodRef;
import dev.cede.model.Resources;
import dev.cede.model.Share;
import dev.cede.model.ShareKey;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Pods that fit: the order of reservation and Binding, and what a lost or refused call leads to. */
final class PlacementTest {
    private static final OwnerRef SET = new OwnerRef("ReplicaSet", "set", "uid-set");

    private final LoopWorld world =
            LoopWorld.topologyAware(true).node("n0", 64, 64).leaderStarts();

    @Test
    void a_pod_is_bound_only_after_its_agent_holds_its_room() {
        world.unanswered.add(Effect.Send.class);
        world.put(Facts.pod("p", 0, 16, 0));
        assertTrue(world.all(Effect.Bind.class).isEmpty());
    }

    @Test
    void a_node_whose_agent_does_not_take_binds_gets_none() {
        world.kubeletStarts = false;
        world.unanswered.add(Effect.Send.class);
        world.attach(world.agents.get("n0"));
        world.put(Facts.pod("p", 0, 16, 0));
        assertTrue(world.all(Effect.Bind.class).isEmpty());
        assertTrue(world.reasons.get("p").contains("n0"), world.reasons.get("p"));
    }

    @Test
    void B11_three_pods_in_one_batch_never_exceed_the_card() {
        LoopWorld one = LoopWorld.topologyAware(true).node("n0", 192).leaderStarts();
        one.kubeletStarts = false;
        List.of("a", "b", "c").forEach(name -> one.put(Facts.pod(name, 0, 96, 0)));
        assertEquals(2, one.all(Effect.Bind.class).size());
    }

    @Test
    void B11_a_node_whose_agent_is_away_takes_nothing_and_loses_nobody() {
        world.put(Facts.pod("low", 0, 64, 0));
        world.put(Facts.pod("low2", 0, 64, 0));
        world.detach("n0");
        world.put(Facts.pod("high", 1000, 64, 0));
        world.advance(Duration.ofMinutes(2));
        assertTrue(world.all(Effect.Evict.class).isEmpty());
        assertFalse(world.pod("high").bound());
    }

    /** As kubelet has it for a while after its agent came back; it would reject the pod. */
    @Test
    void B11_a_node_whose_status_shows_no_devices_takes_nothing_and_loses_nobody() {
        LoopWorld one = LoopWorld.topologyAware(true).node("n0", 64).leaderStarts();
        one.put(Facts.pod("low", 0, 48, 0));
        one.feed(new Event.NodeSeen(Facts.node("n0", Map.of(Resources.CORE, 0L))));
        one.put(Facts.pod("small", 0, 16, 0));
        one.put(Facts.pod("high", 1000, 64, 0));
        assertFalse(one.pod("small").bound());
        assertTrue(one.reasons.get("small").contains("devices"), one.reasons.get("small"));
        assertTrue(one.all(Effect.Evict.class).isEmpty());
        one.feed(new Event.NodeSeen(
                Facts.node("n0", Map.of(Resources.MEMORY, 64L, Resources.CORE, 100L))));
        assertEquals(1, one.all(Effect.Evict.class).size());
    }

    @Test
    void B11_a_winner_is_not_bound_while_its_nodes_status_shows_no_devices() {
        LoopWorld one = LoopWorld.topologyAware(true).node("n0", 64).leaderStarts();
        one.put(Facts.pod("low", 0, 64, 0));
        one.put(Facts.pod("high", 1000, 64, 0));
        one.feed(new Event.NodeSeen(Facts.node("n0", Map.of(Resources.MEMORY, 0L))));
        one.finalPhase("low");
        one.driverEmpty("low");
        assertFalse(one.pod("high").bound());
        one.feed(new Event.NodeSeen(Facts.node("n0", Map.of(Resources.MEMORY, 64L))));
        assertTrue(one.pod("high").bound());
    }

    @Test
    void C5_no_victims_while_a_node_that_could_take_the_pod_is_expected_back() {
        LoopWorld two =
                LoopWorld.topologyAware(true).node("n0", 64).node("n1", 64).leaderStarts();
        two.put(Facts.pod("low", 0, 64, 0));
        String other = two.pod("low").nodeName().orElseThrow().equals("n0") ? "n1" : "n0";
        two.detach(other);
        two.put(Facts.pod("high", 1000, 64, 0));
        assertTrue(two.all(Effect.Evict.class).isEmpty());
        assertTrue(two.reasons.get("high").contains(other), two.reasons.get("high"));
        two.advance(Duration.ofSeconds(30));
        assertEquals(1, two.all(Effect.Evict.class).size());
    }

    /** Its agent is not to come back, though kubelet's status still names its devices. */
    @Test
    void C5_B12_a_node_without_the_label_is_not_waited_for() {
        LoopWorld two = LoopWorld.topologyAware(true).node("n0", 64);
        two.nodes.put("n1", Facts.unlabelled(Facts.node("n1")));
        two.leaderStarts();
        two.put(Facts.pod("low", 0, 64, 0));
        two.put(Facts.pod("high", 1000, 64, 0));
        assertEquals(1, two.all(Effect.Evict.class).size());
    }

    @Test
    void E12_a_Binding_that_met_a_conflict_is_read_and_tried_again_at_once() {
        world.bindFailures.add(new ApiFailure(409, "changed"));
        world.put(Facts.pod("p", 0, 16, 0));
        assertTrue(world.pod("p").bound());
        assertEquals(1, world.all(Effect.ReadPod.class).size());
    }

    @Test
    void E12_a_Binding_that_meets_a_second_conflict_waits_for_the_back_off() {
        world.bindFailures.add(new ApiFailure(409, "changed"));
        world.bindFailures.add(new ApiFailure(409, "changed"));
        world.put(Facts.pod("p", 0, 16, 0));
        assertFalse(world.pod("p").bound());
        world.advance(Duration.ofSeconds(1));
        assertTrue(world.pod("p").bound());
    }

    @Test
    void E12_a_Binding_that_was_refused_is_read_and_tried_again_after_the_back_off() {
        world.bindFailures.add(new ApiFailure(500, "etcd is slow"));
        world.put(Facts.pod("p", 0, 16, 0));
        assertFalse(world.pod("p").bound());
        world.advance(Duration.ofSeconds(1));
        assertTrue(world.pod("p").bound());
    }

    /** The agent takes kubelet's first call to be for the older one, bound or not. */
    @Test
    void a_pod_waits_for_an_older_one_that_asks_alike_on_another_card() {
        world.kubeletStarts = false;
        world.bindFailures.add(new ApiFailure(500, "etcd is slow"));
        world.put(Facts.pod("a", 0, 64, 0));
        world.put(Facts.pod("b", 0, 64, 0));
        assertFalse(world.pod("b").bound());
        world.advance(Duration.ofSeconds(1));
        assertTrue(world.pod("a").bound());
        assertFalse(world.pod("b").bound());
        world.start("a");
        assertTrue(world.pod("b").bound());
    }

    @Test
    void a_Binding_without_an_answer_that_succeeded_is_not_sent_twice() {
        world.unanswered.add(Effect.Bind.class);
        world.put(Facts.pod("p", 0, 16, 0));
        PodFacts bound = Facts.bound(world.pod("p"), "n0");
        world.pods.put("p", bound);
        world.feed(new Event.BindFailed(bound.ref(), "n0", new ApiFailure(0, "time-out")));
        world.advance(Duration.ofSeconds(20));
        assertEquals(1, world.all(Effect.Bind.class).size());
    }

    /** What failed is not known, and neither was what became of it. */
    @Test
    void E12_a_Binding_without_an_answer_is_looked_for_until_a_read_succeeds() {
        world.unanswered.add(Effect.Bind.class);
        world.unanswered.add(Effect.ReadPod.class);
        PodRef pod = world.put(Facts.pod("p", 0, 16, 0)).ref();
        world.feed(new Event.BindFailed(pod, "n0", new ApiFailure(0, "time-out")));
        world.feed(new Event.PodReadFailed(pod, new ApiFailure(500, "error")));
        world.unanswered.clear();
        world.advance(Duration.ofSeconds(2));
        assertTrue(world.pod("p").bound());
    }

    @Test
    void pods_that_ask_alike_on_different_cards_are_in_flight_one_after_the_other() {
        world.kubeletStarts = false;
        world.put(Facts.pod("a", 0, 40, 0));
        world.put(Facts.pod("b", 0, 40, 0));
        assertEquals(1, world.all(Effect.Bind.class).size());
        world.start("a");
        assertEquals(2, world.all(Effect.Bind.class).size());
    }

    /** One call of kubelet names the devices of all of a container's cards. */
    @Test
    void A8_pods_that_ask_alike_in_all_are_in_flight_one_after_the_other() {
        world.kubeletStarts = false;
        world.put(Facts.spread("a", 2, 32));
        world.put(Facts.pod("b", 0, 32, 0));
        assertEquals(1, world.all(Effect.Bind.class).size());
        world.start("a");
        assertEquals(2, world.all(Effect.Bind.class).size());
    }

    @Test
    void A8_pods_that_ask_for_as_much_of_a_card_but_not_in_all_are_in_flight_together() {
        world.kubeletStarts = false;
        world.put(Facts.spread("a", 2, 32));
        world.put(Facts.pod("b", 0, 16, 0));
        world.put(Facts.spread("c", 2, 32));
        assertEquals(3, world.all(Effect.Bind.class).size());
    }

    @Test
    void A8_a_pod_of_two_cards_has_a_share_of_each() {
        world.put(Facts.spread("a", 2, 32));
        assertEquals(
                List.of("GPU-n0-0 16u", "GPU-n0-1 16u"),
                world.agents.get("n0").ledger.shares().values().stream()
                        .map(booked ->
                                booked.share().card() + " " + booked.share().amount())
                        .toList());
        assertEquals(
                "c=GPU-n0-0:16u;c=GPU-n0-1:16u",
                world.all(Effect.Bind.class).getFirst().annotations().get("cede.dev/cards"));
    }

    @Test
    void pods_of_different_sizes_are_in_flight_together() {
        world.kubeletStarts = false;
        world.put(Facts.pod("a", 0, 40, 0));
        world.put(Facts.pod("b", 0, 41, 0));
        assertEquals(2, world.all(Effect.Bind.class).size());
    }

    @Test
    void B09_a_pod_deleted_before_its_allocation_gives_its_room_back() {
        world.kubeletStarts = false;
        world.put(Facts.pod("p", 0, 64, 0));
        world.objectGone("p");
        world.put(Facts.pod("next", 0, 64, 0));
        world.advance(Duration.ofSeconds(4));
        assertTrue(world.pod("next").bound());
    }

    /** Without it kubelet's calls would be taken for those of the next pod that asks alike. */
    @Test
    void what_is_reserved_for_a_bound_pod_stays_until_kubelet_has_heard_that_the_pod_is_gone() {
        world.kubeletStarts = false;
        world.put(Facts.pod("p", 0, 16, 0));
        world.put(Facts.pod("q", 0, 16, 0));
        world.objectGone("p");
        world.advance(Duration.ofSeconds(2));
        assertEquals(2, world.agents.get("n0").ledger.reservations().size());
        world.advance(Duration.ofSeconds(1));
        assertEquals(1, world.agents.get("n0").ledger.reservations().size());
    }

    @Test
    void a_read_that_failed_is_made_again_though_the_loop_woke_for_something_else_before() {
        world.put(Facts.pod("p", 0, 16, 0));
        world.bindFailures.add(new ApiFailure(500, "error"));
        world.put(Facts.pod("q", 0, 8, 0));
        world.advance(Duration.ofMillis(500));
        world.unanswered.add(Effect.ReadPod.class);
        PodRef gone = world.pod("p").ref();
        world.objectGone("p");
        world.feed(new Event.PodReadFailed(gone, new ApiFailure(500, "error")));
        world.advance(Duration.ofSeconds(2));
        assertEquals(
                2,
                world.all(Effect.ReadPod.class).stream()
                        .filter(read -> read.pod().equals(gone))
                        .count());
    }

    @Test
    void a_pod_that_kubelet_rejected_gives_its_room_back() {
        world.kubeletStarts = false;
        world.put(Facts.pod("p", 0, 64, 0));
        world.put(Facts.phase(world.pod("p"), dev.cede.coordinator.cluster.PodPhase.FAILED));
        assertTrue(world.agents.get("n0").ledger.reservations().isEmpty());
    }

    /** It may have had half of its devices, which its agent must not take for unplanned ones. */
    @Test
    void E9_an_agent_is_told_that_kubelet_is_done_with_a_pod_that_it_rejected() {
        world.kubeletStarts = false;
        world.put(Facts.pod("p", 0, 64, 0));
        PodRef rejected = world.pod("p").ref();
        world.put(Facts.phase(world.pod("p"), dev.cede.coordinator.cluster.PodPhase.FAILED));
        assertEquals(
                List.of(new Order.Free(rejected), new Order.Drop(rejected.uid())),
                world.all(Effect.Send.class).stream()
                        .map(Effect.Send::order)
                        .filter(order -> order instanceof Order.Free || order instanceof Order.Drop)
                        .toList());
    }

    @Test
    void A12_an_invalid_ask_is_told_once_and_never_planned() {
        world.put(Facts.pod("p", 0, 16, 7));
        assertTrue(world.reasons.get("p").startsWith("InvalidRequest: "), world.reasons.get("p"));
        world.advance(Duration.ofMinutes(1));
        assertEquals(1, world.all(Effect.ReportPending.class).size());
    }

    @Test
    void E1_members_that_fit_start_at_once_and_the_others_wait_for_the_whole_before_they_evict() {
        LoopWorld one = LoopWorld.topologyAware(true).node("n0", 64).leaderStarts();
        one.put(Facts.pod("low", 0, 32, 0));
        one.owner(SET, 3);
        one.put(Facts.owned("set-a", SET, 1000, 32));
        one.put(Facts.owned("set-b", SET, 1000, 32));
        assertTrue(one.pod("set-a").bound());
        assertTrue(one.all(Effect.Evict.class).isEmpty(), "a third pod is still to come");
        one.advance(Duration.ofSeconds(1));
        assertEquals(1, one.all(Effect.Evict.class).size());
    }

    @Test
    void E1_members_that_need_evictions_are_placed_together_or_nobody_is_evicted() {
        LoopWorld one = LoopWorld.topologyAware(true).node("n0", 64).leaderStarts();
        one.put(Facts.pod("low", 0, 32, 0));
        one.put(Facts.pod("peer", 2000, 32, 0));
        one.owner(SET, 2);
        one.put(Facts.owned("set-a", SET, 1000, 32));
        one.put(Facts.owned("set-b", SET, 1000, 32));
        one.advance(Duration.ofSeconds(5));
        assertTrue(one.all(Effect.Evict.class).isEmpty());
        assertTrue(
                one.reasons.get("set-a").startsWith("Unschedulable: "), one.reasons.get("set-a"));
    }

    /** B60: pods and owners are watched apart, so what the owner asks for may be told last. */
    @Test
    void E1_pods_told_before_their_owner_asks_for_so_many_are_no_whole_workload() {
        LoopWorld two =
                LoopWorld.topologyAware(true).node("n0", 64).node("n1", 64).leaderStarts();
        two.owner(SET, 1);
        two.put(Facts.owned("set-a", SET, 1000, 64));
        assertTrue(two.pod("set-a").bound());
        two.put(Facts.pod("low", 0, 64, 0));
        two.put(Facts.owned("set-b", SET, 1000, 64));
        assertTrue(two.all(Effect.Evict.class).isEmpty(), "told of one, sees a second");
        two.owner(SET, 3);
        two.put(Facts.owned("set-c", SET, 1000, 64));
        two.advance(Duration.ofSeconds(5));
        assertTrue(two.all(Effect.Evict.class).isEmpty(), "no room for the third");
    }

    @Test
    void F6_a_node_whose_kubelet_lists_units_in_the_status_is_told_of_once() {
        world.put(Facts.pod("a", 0, 16, 0));
        world.put(Facts.pod("b", 0, 16, 0));
        assertEquals(List.of(), world.all(Effect.AnnounceNode.class));
        for (String name : List.of("a", "b", "a")) {
            world.put(Facts.listingUnits(world.pod(name)));
        }
        Effect.AnnounceNode told = world.all(Effect.AnnounceNode.class).getFirst();
        assertEquals(world.pod("a").nodeName().orElseThrow(), told.node());
        assertEquals(UnitStatuses.MESSAGE, told.message());
        assertEquals(1, world.all(Effect.AnnounceNode.class).size());
    }

    @Test
    void E11_no_room_is_not_a_failure_and_needs_no_back_off() {
        LoopWorld one = LoopWorld.topologyAware(true).node("n0", 64).leaderStarts();
        one.put(Facts.pod("first", 0, 64, 0));
        one.put(Facts.pod("second", 0, 64, 0));
        assertFalse(one.pod("second").bound());
        one.driverEmpty("first");
        one.finalPhase("first");
        assertTrue(one.pod("second").bound());
    }

    @Test
    void E12_a_reservation_that_the_agent_refuses_is_planned_again_only_after_the_back_off() {
        world.refuseReserves = true;
        world.put(Facts.pod("p", 0, 16, 0));
        assertEquals(1, reserves());
        world.report(world.agents.get("n0"));
        assertEquals(1, reserves());
        world.refuseReserves = false;
        world.advance(Duration.ofSeconds(1));
        assertTrue(world.pod("p").bound());
    }

    /** Kubelet rejected the pod after it was granted devices. */
    @Test
    void E12_a_reservation_that_the_agent_does_not_drop_is_dropped_after_the_back_off() {
        world.kubeletStarts = false;
        world.refuseDrops = true;
        world.put(Facts.pod("p", 0, 16, 0));
        world.finalPhase("p");
        world.report(world.agents.get("n0"));
        assertEquals(1, drops());
        world.advance(Duration.ofSeconds(1));
        assertEquals(2, drops());
        world.refuseDrops = false;
        world.advance(Duration.ofSeconds(1));
        assertEquals(2, drops());
        world.advance(Duration.ofSeconds(1));
        assertTrue(world.agents.get("n0").ledger.reservations().isEmpty());
    }

    private long drops() {
        return world.all(Effect.Send.class).stream()
                .filter(send -> send.order() instanceof dev.cede.model.Order.Drop)
                .count();
    }

    private long reserves() {
        return world.all(Effect.Send.class).stream()
                .filter(send -> send.order() instanceof dev.cede.model.Order.Reserve)
                .count();
    }

    @Test
    void E12_the_next_pod_of_a_workload_whose_last_one_kubelet_rejected_waits_a_little() {
        world.kubeletStarts = false;
        world.owner(SET, 1);
        world.put(Facts.owned("set-a", SET, 0, 16));
        world.put(Facts.phase(world.pod("set-a"), dev.cede.coordinator.cluster.PodPhase.FAILED));
        world.put(Facts.owned("set-b", SET, 0, 16));
        assertFalse(world.pod("set-b").bound());
        world.advance(Duration.ofSeconds(1));
        assertTrue(world.pod("set-b").bound());
    }

    @Test
    void a_pod_that_vanished_while_its_agent_was_away_is_read_once_and_forgotten() {
        world.unanswered.add(Effect.Send.class);
        world.put(Facts.pod("p", 0, 16, 0));
        world.detach("n0");
        world.objectGone("p");
        assertEquals(1, world.all(Effect.ReadPod.class).size());
        assertTrue(
                world.snapshot().nodes().get(0).view().ledger().reservations().isEmpty());
    }

    /** An agent without memory finds them in kubelet's record, which knows only UIDs. */
    @Test
    void E9_shares_of_a_pod_without_a_name_are_released_when_no_pod_of_its_UID_is_on_the_node() {
        AgentModel agent = world.agents.get("n0");
        PodFacts here = world.put(Facts.bound(Facts.pod("here", 0, 64, 0), "n0"));
        agent.allocate(nameless(here.uid(), "GPU-n0-0"));
        agent.allocate(nameless("uid-of-nobody", "GPU-n0-1"));
        world.attach(agent);
        agent.driverEmpty("uid-of-nobody");
        agent.driverEmpty(here.uid());
        world.report(agent);
        assertEquals(
                Set.of(here.uid()),
                agent.ledger.shares().keySet().stream()
                        .map(ShareKey::podUid)
                        .collect(Collectors.toSet()));
    }

    private static Share nameless(String uid, String card) {
        return new Share(new PodRef("", "", uid), "main", new CardId(card), new Amount(64, 0));
    }

    @Test
    void C5_a_pod_waits_for_room_that_is_leaving_rather_than_evict() {
        world.put(Facts.pod("leaving", 0, 64, 0));
        world.put(Facts.pod("low", 0, 64, 0));
        world.put(Facts.terminating(world.pod("leaving"), world.now));
        world.put(Facts.pod("high", 1000, 64, 0));
        assertTrue(world.all(Effect.Evict.class).isEmpty());
        world.finalPhase("leaving");
        world.driverEmpty("leaving");
        assertTrue(world.pod("high").bound());
        assertEquals(Optional.empty(), world.pod("low").deletionTimestamp());
    }
}
