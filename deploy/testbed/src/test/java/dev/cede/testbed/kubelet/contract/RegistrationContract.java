package dev.cede.testbed.kubelet.contract;

import static dev.cede.testbed.kubelet.contract.KubeletRig.MEMORY;
import static dev.cede.testbed.kubelet.contract.KubeletRig.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.kubelet.deviceplugin.DevicePluginOptions;
import dev.cede.testbed.kubelet.contract.TinyPlugin.Call;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How plugins come and go. */
abstract class RegistrationContract extends KubeletContract {
    private static final Map<String, Integer> ONE = Map.of(MEMORY, 1);

    @Test
    void registerAsksThePluginsOptionsAndBelievesNothingElse() {
        TinyPlugin plugin = rig.serve(MEMORY, rig.ids('m', 4));
        plugin.claim = DevicePluginOptions.newBuilder()
                .setPreStartRequired(true)
                .setGetPreferredAllocationAvailable(true)
                .build();
        plugin.register();
        assertEquals("options", rig.calls.getFirst().name());
        rig.awaitList(plugin);

        rig.running(rig.add("one", ONE));
        assertEquals(
                List.of("options", "list", "allocate"),
                rig.calls.stream().map(Call::name).toList());
    }

    @ParameterizedTest
    @CsvSource({
        "v1, contract.cede.dev/gpu, requested API version",
        "v1beta1, gpu, ResourceName",
        "v1beta1, kubernetes.io/gpu, ResourceName",
        "v1beta1, requests.contract.cede.dev/gpu, ResourceName",
        "v1beta1, contract.cede.dev/, ResourceName"
    })
    void registrationIsRefusedForAnotherVersionAndForANameThatIsNoExtendedResource(
            String version, String name, String words) {
        TinyPlugin plugin = rig.serve(MEMORY, rig.ids('m', 4));
        String refusal = assertThrows(
                        StatusRuntimeException.class, () -> plugin.register(version, name))
                .getMessage();

        assertTrue(refusal.contains(words), refusal);
        assertEquals(List.of(), rig.calls);
    }

    @Test
    void registerFailsWhereNobodyServesBehindTheSocket() {
        TinyPlugin plugin = rig.plugin(MEMORY, rig.ids('m', 4));
        String refusal = assertThrows(
                        StatusRuntimeException.class,
                        () -> plugin.register("v1beta1", MEMORY, "nobody.sock"))
                .getMessage();

        assertTrue(refusal.contains("failed to dial device plugin"), refusal);
        rig.running(rig.add("one", ONE));
    }

    @Test
    void eachListReplacesTheOneBefore() {
        TinyPlugin plugin = rig.plugin(MEMORY, rig.ids('m', 4));
        List<String> others = rig.ids(1, 'm', 6);
        plugin.ids = others;
        plugin.sendList();
        rig.awaitList(plugin);

        Pod pod = rig.running(rig.add("all", Map.of(MEMORY, 6)));
        assertEquals(new TreeSet<>(others), rig.devices(pod, MEMORY));
    }

    @Test
    void theLastToRegisterAnswersForTheResource() {
        rig.plugin(MEMORY, rig.ids('m', 4));
        List<String> newer = rig.ids(1, 'm', 4);
        rig.plugin(MEMORY, newer);

        Pod pod = rig.running(rig.add("all", Map.of(MEMORY, 4)));
        assertEquals(new TreeSet<>(newer), rig.devices(pod, MEMORY));
    }

    /** B26: so a plugin has to watch over its stream. Kubelet 1.37 tells the two apart. */
    @Test
    void theEndOfAnOldStreamTakesTheNewRegistrationAlongUpTo136() {
        TinyPlugin old = rig.plugin(MEMORY, rig.ids('m', 4));
        rig.plugin(MEMORY, rig.ids(1, 'm', 4));
        old.close();

        if (minorVersion() <= 36) {
            rig.awaitHealthy(MEMORY, List.of());
            assertMentions("no healthy devices present", rig.rejected(rig.add("one", ONE)));
        } else {
            rig.running(rig.add("all", Map.of(MEMORY, 4)));
        }
    }

    /** Of "v1.36.3": 36. */
    private int minorVersion() {
        String version = rig.kubelet.node().getStatus().getNodeInfo().getKubeletVersion();
        return Integer.parseInt(version.split("\\.", 3)[1]);
    }

    private static void assertMentions(String words, Pod pod) {
        String message = pod.getStatus().getMessage();
        assertTrue(message.contains(words), message);
    }

    /** T17: kubelet takes a pod before the Node object shows the devices. */
    @Test
    void theEndOfAStreamTakesTheDevicesFromTheNodeAndARegistrationBringsThemBack() {
        List<String> ids = rig.ids('m', 16);
        TinyPlugin plugin = rig.plugin(MEMORY, ids);
        awaitNode(16, 16);
        Pod early = rig.running(rig.add("early", ONE));

        plugin.endStream();
        rig.awaitHealthy(MEMORY, List.of());
        assertMentions("no healthy devices present", rig.rejected(rig.add("between", ONE)));
        awaitNode(16, 0);
        assertEquals("Running", KubeletRig.phase(rig.kubelet.current(early).orElseThrow()));

        rig.plugin(MEMORY, ids);
        rig.running(rig.add("late", Map.of(MEMORY, 15)));
        awaitNode(16, 16);
        assertEquals(
                Set.of(),
                intersection(rig.devices(early, MEMORY), rig.calls("allocate").getLast()));
    }

    private static Set<String> intersection(NavigableSet<String> ids, Call call) {
        Set<String> both = new TreeSet<>(call.ids());
        both.retainAll(ids);
        return both;
    }

    private void awaitNode(int capacity, int allocatable) {
        await(
                () -> amount(rig.kubelet.node().getStatus().getCapacity()) == capacity
                        && amount(rig.kubelet.node().getStatus().getAllocatable()) == allocatable,
                "capacity " + capacity + " and allocatable " + allocatable);
    }

    private static int amount(Map<String, Quantity> quantities) {
        return quantities
                .getOrDefault(MEMORY, new Quantity("-1"))
                .getNumericalAmount()
                .intValue();
    }
}
