package dev.cede.testbed.kubelet.contract;

import static dev.cede.testbed.kubelet.contract.KubeletRig.CORE;
import static dev.cede.testbed.kubelet.contract.KubeletRig.MEMORY;
import static dev.cede.testbed.kubelet.contract.KubeletRig.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.kubelet.deviceplugin.AllocateResponse;
import dev.cede.kubelet.deviceplugin.ContainerAllocateResponse;
import dev.cede.kubelet.deviceplugin.ContainerPreferredAllocationRequest;
import dev.cede.testbed.kubelet.contract.TinyPlugin.Call;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What kubelet asks plugins before it takes a pod, and what becomes of the pod. */
abstract class AdmissionContract extends KubeletContract {

    @Test
    void eachContainerIsServedResourceByResourceThenAllArePreStarted() {
        rig.plugin(MEMORY, rig.ids('m', 16), plugin -> {
            plugin.preference = TinyPlugin::first;
            plugin.preStart = true;
            return plugin;
        });
        rig.plugin(CORE, rig.ids('c', 100));
        rig.calls.clear();
        Pod pod = rig.pod("two", Map.of(MEMORY, 4, CORE, 50));
        Container second = main(rig.pod("second", Map.of(MEMORY, 3, CORE, 40)));
        rig.running(rig.kubelet.add(new PodBuilder(pod)
                .editSpec()
                .addToContainers(new ContainerBuilder(second).withName("second").build())
                .endSpec()
                .build()));

        List<String> order = rig.calls.stream()
                .map(call -> "%s/%d".formatted(call.name(), call.ids().size()))
                .toList();
        assertEquals(8, order.size(), order::toString);
        // Only free devices are offered to the second container.
        assertServed(order.subList(0, 3), "preferred/16", "allocate/4", "allocate/50");
        assertServed(order.subList(3, 6), "preferred/12", "allocate/3", "allocate/40");
        assertEquals(List.of("prestart/4", "prestart/3"), order.subList(6, 8));
        assertEquals(
                ids(rig.calls("allocate").stream()
                        .filter(call -> call.resource().equals(MEMORY))
                        .toList()),
                ids(rig.calls("prestart")));
    }

    private static Container main(Pod pod) {
        return pod.getSpec().getContainers().getFirst();
    }

    private static void assertServed(
            List<String> calls, String preferred, String memory, String core) {
        assertTrue(
                calls.equals(List.of(preferred, memory, core))
                        || calls.equals(List.of(core, preferred, memory)),
                calls::toString);
    }

    private static List<Set<String>> ids(List<Call> calls) {
        return calls.stream()
                .map(call -> (Set<String>) new TreeSet<>(call.ids()))
                .toList();
    }

    @Test
    void aPreferenceIsHonouredToTheId() {
        List<String> ids = rig.ids('m', 16);
        List<String> wanted = ids.subList(3, 11);
        rig.plugin(MEMORY, ids, plugin -> {
            plugin.preference = wish -> wanted;
            return plugin;
        });
        Pod pod = rig.running(rig.add("one", Map.of(MEMORY, 8)));

        assertEquals(List.of(new TreeSet<>(wanted)), ids(rig.calls("allocate")));
        assertEquals(new TreeSet<>(wanted), rig.devices(pod, MEMORY));
    }

    @Test
    void aShortPreferenceIsToppedUpAndSurplusAndForeignIdsAreDropped() {
        List<String> ids = rig.ids('m', 16);
        TinyPlugin plugin = rig.plugin(MEMORY, ids, made -> {
            made.preference = wish -> List.of(ids.get(5), ids.get(9), "foreign-m0001");
            return made;
        });
        Set<String> topped = allocated(rig.add("short", Map.of(MEMORY, 4)));
        assertEquals(4, topped.size());
        assertTrue(topped.containsAll(List.of(ids.get(5), ids.get(9))), topped::toString);
        assertTrue(ids.containsAll(topped), topped::toString);

        List<String> rest = new ArrayList<>(ids);
        rest.removeAll(topped);
        plugin.preference = wish -> rest.subList(0, 6);
        Set<String> cut = allocated(rig.add("long", Map.of(MEMORY, 4)));
        assertEquals(4, cut.size());
        assertTrue(rest.subList(0, 6).containsAll(cut), cut::toString);
    }

    private Set<String> allocated(Pod pod) {
        rig.running(pod);
        return new TreeSet<>(rig.calls("allocate").getLast().ids());
    }

    @Test
    void aRefusedAllocateFailsThePodForGoodWithThePluginsWords() {
        TinyPlugin plugin = rig.plugin(MEMORY, rig.ids('m', 16), made -> {
            made.allocate = ids -> {
                throw new IllegalStateException("no reservation for 8 units");
            };
            return made;
        });
        Pod pod = rig.rejected(rig.add("one", Map.of(MEMORY, 8)));

        assertRejected(
                "Pod was rejected: Allocate failed due to rpc error: code = FailedPrecondition desc ="
                        + " no reservation for 8 units, which is unexpected",
                pod);
        assertEquals(rig.kubelet.name(), pod.getSpec().getNodeName());
        await(
                () -> rig.kubelet.events(pod).stream()
                        .anyMatch(event -> event.getReason().equals("UnexpectedAdmissionError")),
                "an event");

        plugin.allocate = ids -> TinyPlugin.answer(ContainerAllocateResponse.getDefaultInstance());
        rig.running(rig.add("two", Map.of(MEMORY, 16)));
        assertEquals(2, rig.calls("allocate").size());
        assertEquals("Failed", KubeletRig.phase(rig.kubelet.current(pod).orElseThrow()));
    }

    private static void assertRejected(String words, Pod pod) {
        assertEquals("UnexpectedAdmissionError", pod.getStatus().getReason());
        String message = pod.getStatus().getMessage();
        assertTrue(message.contains(words), message);
    }

    @Test
    void aPluginThatDoesNotAnswerAsItShouldFailsThePod() {
        TinyPlugin plugin = rig.plugin(MEMORY, rig.ids('m', 16), made -> {
            made.preference = wish -> {
                throw new IllegalStateException("no idea");
            };
            return made;
        });
        Pod unsteered = rig.rejected(rig.add("unsteered", Map.of(MEMORY, 4)));
        assertRejected(
                "Allocate failed due to device plugin GetPreferredAllocation rpc failed with err:"
                        + " rpc error: code = FailedPrecondition desc = no idea",
                unsteered);

        plugin.preference = TinyPlugin::first;
        plugin.allocate = ids -> AllocateResponse.getDefaultInstance();
        Pod empty = rig.rejected(rig.add("empty", Map.of(MEMORY, 4)));
        assertRejected("no containers return in allocation response", empty);
        // And what was chosen for it is lost until some pod's devices are given back.
        Pod all = rig.rejected(rig.add("all", Map.of(MEMORY, 16)));
        assertRejected("Requested: 16, Available: 12", all);
    }

    @Test
    void tooFewFreeDevicesFailThePodWithoutACall() {
        rig.plugin(MEMORY, rig.ids('m', 16));
        rig.running(rig.add("first", Map.of(MEMORY, 12)));
        Pod pod = rig.rejected(rig.add("greedy", Map.of(MEMORY, 5)));

        assertRejected(
                "requested number of devices unavailable for " + MEMORY
                        + ". Requested: 5, Available: 4",
                pod);
        assertEquals(1, rig.calls("allocate").size());
        rig.running(rig.add("modest", Map.of(MEMORY, 4)));
    }

    /** T4: so nobody may bind such a pod before the node has the resource. */
    @Test
    void aResourceThatKubeletDoesNotKnowIsSkippedWithoutAWordAndTheContainerStarts() {
        rig.plugin(MEMORY, rig.ids('m', 4));
        Pod pod = rig.running(
                rig.add("one", Map.of(MEMORY, 1, "contract.cede.dev/never-registered", 3)));

        assertEquals(1, rig.calls("allocate").size());
        assertEquals(
                1,
                rig.checkpoint().entries().stream()
                        .filter(entry -> entry.podUid().equals(KubeletRig.uid(pod)))
                        .count());
    }

    @Test
    void anInitContainersDevicesAreUsedAgainFirstAndArriveAsMustInclude() {
        List<ContainerPreferredAllocationRequest> wishes = new ArrayList<>();
        rig.plugin(MEMORY, rig.ids('m', 16), plugin -> {
            plugin.preference = wish -> {
                wishes.add(wish);
                return TinyPlugin.first(wish);
            };
            return plugin;
        });
        Pod pod = rig.pod("one", Map.of(MEMORY, 4));
        Container init = main(rig.pod("init", Map.of(MEMORY, 2), "--exit-after-seconds=0"));
        rig.running(rig.kubelet.add(new PodBuilder(pod)
                .editSpec()
                .addToInitContainers(new ContainerBuilder(init).withName("init").build())
                .endSpec()
                .build()));

        List<Set<String>> allocated = ids(rig.calls("allocate"));
        assertEquals(2, wishes.size());
        assertEquals(
                allocated.getFirst(),
                new TreeSet<>(wishes.getLast().getMustIncludeDeviceIDsList()));
        assertEquals(4, wishes.getLast().getAllocationSize());
        assertTrue(allocated.getLast().containsAll(allocated.getFirst()), allocated::toString);
    }

    @Test
    void nineThousandDevicesAreNoTrouble() {
        List<String> memory = new ArrayList<>();
        List<String> core = new ArrayList<>();
        for (int card = 0; card < 8; card++) {
            memory.addAll(rig.ids(card, 'm', 1123));
            core.addAll(rig.ids(card, 'c', 100));
        }
        rig.plugin(MEMORY, memory, plugin -> {
            plugin.preference = TinyPlugin::first;
            return plugin;
        });
        rig.plugin(CORE, core);
        Pod big = rig.running(rig.add("big", Map.of(MEMORY, 8900, CORE, 700)));
        Pod small = rig.running(rig.add("small", Map.of(MEMORY, 84, CORE, 100)));

        assertEquals(8900, rig.devices(big, MEMORY).size());
        assertEquals(700, rig.devices(big, CORE).size());
        Set<String> all = new TreeSet<>(rig.devices(big, MEMORY));
        all.addAll(rig.devices(small, MEMORY));
        assertEquals(new TreeSet<>(memory), all);
    }
}
