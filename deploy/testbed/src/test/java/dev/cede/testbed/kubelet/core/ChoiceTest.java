package dev.cede.testbed.kubelet.core;

import static dev.cede.testbed.kubelet.core.VirtualNode.C;
import static dev.cede.testbed.kubelet.core.VirtualNode.M;
import static dev.cede.testbed.kubelet.core.VirtualNode.container;
import static dev.cede.testbed.kubelet.core.VirtualNode.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.testbed.kubelet.core.ContainerSpec.Kind;
import dev.cede.testbed.kubelet.core.Event.Answer;
import dev.cede.testbed.kubelet.core.Event.PluginOptions;
import dev.cede.testbed.kubelet.core.PodStatusView.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ChoiceTest {
    private static final PluginOptions STEERS = new PluginOptions(false, true);
    private static final List<String> A = ids("aaaaaaaa-m", 8);
    private static final List<String> B = ids("bbbbbbbb-m", 8);

    private static List<String> ids(String prefix, int count) {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add("%s%02d".formatted(prefix, i));
        }
        return ids;
    }

    private static List<String> both(List<String> one, List<String> other) {
        List<String> all = new ArrayList<>(one);
        all.addAll(other);
        return all;
    }

    private static VirtualNode node(PickMode mode, long seed) {
        VirtualNode node =
                new VirtualNode(KubeletSettings.of(seed).withPicks(mode)).knowingAllPods();
        node.register(M, STEERS, both(A, B));
        return node;
    }

    private static Set<String> given(VirtualNode node, List<String> preferred, int count) {
        node.preference = ask -> Answer.of(preferred);
        PodSpec pod = pod("p", container("main", M, count));
        node.add(pod);
        return new TreeSet<>(node.ids(pod, "main", M));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void aPreferenceOfExactlyNOfferedIdsIsTakenToTheId(long seed) {
        for (PickMode mode : PickMode.values()) {
            assertEquals(
                    new TreeSet<>(A.subList(2, 6)), given(node(mode, seed), A.subList(2, 6), 4));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void aShortPreferenceIsToppedUpAndInTheWorstCaseFromTheOtherCard(long seed) {
        Set<String> given = given(node(PickMode.WORST, seed), A.subList(0, 3), 5);

        assertEquals(5, given.size());
        assertTrue(given.containsAll(A.subList(0, 3)));
        assertEquals(2, given.stream().filter(B::contains).count());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void surplusAndForeignIdsAreDropped(long seed) {
        List<String> preferred = both(List.of("cccccccc-m00"), A);
        Set<String> given = given(node(PickMode.RANDOM, seed), preferred, 4);

        assertEquals(4, given.size());
        assertTrue(A.containsAll(given), given::toString);
    }

    @Test
    void withoutAPreferenceTheWorstCaseSpreadsOverCards() {
        Set<String> given = given(node(PickMode.WORST, 7), List.of(), 4);

        assertEquals(2, given.stream().filter(A::contains).count());
        assertEquals(2, given.stream().filter(B::contains).count());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void inTheWorstCaseTheSecondResourceNeverMeetsTheFirstOnItsCardUnsteered(long seed) {
        VirtualNode node = node(PickMode.WORST, seed);
        node.register(
                C,
                new PluginOptions(false, false),
                both(ids("aaaaaaaa-c", 9), ids("bbbbbbbb-c", 9)));
        node.preference = ask -> Answer.of(A.subList(0, 4));
        PodSpec pod = pod("p", ContainerSpec.app("main", Map.of(M, 4L, C, 3L)));
        node.add(pod);

        if (node.all(Effect.AskAllocate.class).getFirst().ids().getFirst().contains("-m")) {
            assertTrue(
                    node.ids(pod, "main", C).stream().allMatch(id -> id.startsWith("bbbbbbbb")),
                    () -> node.ids(pod, "main", C).toString());
        }
    }

    @Test
    void theOrderOfAContainersResourcesIsChance() {
        Set<String> first = new TreeSet<>();
        for (long seed = 0; seed < 20; seed++) {
            VirtualNode node = node(PickMode.RANDOM, seed);
            node.register(C, STEERS, ids("aaaaaaaa-c", 9));
            node.add(pod("p", ContainerSpec.app("main", Map.of(M, 1L, C, 1L))));
            first.add(node.all(Effect.AskAllocate.class)
                    .getFirst()
                    .ids()
                    .getFirst()
                    .replaceAll("[0-9]+$", "")
                    .substring(9));
        }
        assertEquals(Set.of("m", "c"), first);
    }

    @Test
    void equalSeedsAndEventsGiveEqualEffects() {
        VirtualNode one = node(PickMode.RANDOM, 42);
        VirtualNode same = node(PickMode.RANDOM, 42);
        VirtualNode other = node(PickMode.RANDOM, 43);
        Set<String> given = given(one, List.of(), 4);

        assertEquals(given, given(same, List.of(), 4));
        assertEquals(one.effects, same.effects);
        assertNotEquals(given, given(other, List.of(), 4));
    }

    @Test
    void aPluginThatDoesNotSteerIsNotAsked() {
        VirtualNode node = VirtualNode.random(1).knowingAllPods();
        node.register(M, new PluginOptions(false, false), A);
        node.add(pod("p", container("main", M, 3)));

        assertEquals(0, node.all(Effect.AskPreference.class).size());
        assertEquals(1, node.all(Effect.AskAllocate.class).size());
    }

    @Test
    void anInitContainersDevicesAreUsedAgainFirstAndArriveAsMustInclude() {
        VirtualNode node = node(PickMode.RANDOM, 1);
        node.preference = ask -> Answer.of(
                ask.mustInclude().isEmpty()
                        ? A.subList(0, 2)
                        : both(List.copyOf(ask.mustInclude()), A.subList(5, 7)));
        PodSpec pod = pod("p", container("init", M, 2).as(Kind.INIT), container("main", M, 4));
        node.add(pod);

        assertEquals(
                new TreeSet<>(A.subList(0, 2)),
                node.last(Effect.AskPreference.class).mustInclude());
        assertEquals(
                new TreeSet<>(both(A.subList(0, 2), A.subList(5, 7))),
                new TreeSet<>(node.ids(pod, "main", M)));
    }

    @Test
    void alignedDevicesAreAllTakenBeforeThePluginIsAskedAboutTheRest() {
        VirtualNode node =
                new VirtualNode(KubeletSettings.of(1).withNumaHint(new TreeSet<>(Set.of(0L))));
        node.knowingAllPods();
        long client = node.register(M, STEERS, List.of());
        List<PluginDevice> devices = new ArrayList<>();
        A.subList(0, 2).forEach(id -> devices.add(new PluginDevice(id, true, List.of(0L))));
        B.forEach(id -> devices.add(new PluginDevice(id, true, List.of(1L))));
        node.send(new Event.DevicesListed(client, devices));
        PodSpec pod = pod("p", container("main", M, 3));
        node.add(pod);

        assertEquals(
                new TreeSet<>(A.subList(0, 2)),
                node.last(Effect.AskPreference.class).mustInclude());
        assertEquals(3, node.ids(pod, "main", M).size());
    }

    @Test
    void aFailedPreferenceFailsThePodAndItsTakenDevicesLeakUntilTheNextRebuild() {
        for (boolean leaks : List.of(true, false)) {
            Quirks quirks = new Quirks(ClientKeying.NAME, leaks, true, true);
            VirtualNode node = new VirtualNode(KubeletSettings.of(1)
                    .withQuirks(quirks)
                    .withNumaHint(new TreeSet<>(Set.of(0L))));
            node.knowingAllPods();
            long client = node.register(M, STEERS, List.of());
            node.send(new Event.DevicesListed(
                    client,
                    List.of(
                            new PluginDevice(A.get(0), true, List.of(0L)),
                            new PluginDevice(A.get(1), true, List.of(1L)))));
            node.preference = ask -> Answer.failed("no idea");
            PodSpec pod = pod("p", container("main", M, 2));
            node.add(pod);

            assertEquals(Phase.FAILED, node.phase(pod));
            assertEquals(leaks ? Set.of(A.get(0)) : Set.of(), node.core.inUse(M));
        }
    }

    @Test
    void aRefusedAllocateGivesTheDevicesBack() {
        VirtualNode node = node(PickMode.RANDOM, 1);
        node.allocate = ask -> Answer.failed("rpc error: code = Unknown desc = no");
        node.add(pod("p", container("main", M, 2)));

        assertEquals(Set.of(), node.core.inUse(M));
    }
}
