package dev.cede.deviceplugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class KubeletCheckpointTest {
    private static final List<KubeletEntry> EXPECTED = List.of(new KubeletEntry(
            "u1", "main", DeviceKind.MEMORY, List.of("aaaaaaaa-m0000", "aaaaaaaa-m0001")));

    private static String checkpoint(String devices) {
        return """
                {"Data":{"PodDeviceEntries":[
                  {"PodUID":"u1","ContainerName":"main","ResourceName":"volcano.sh/gpu-mem.128Mi",
                   "DeviceIDs":%s,"AllocResp":"Eh0="},
                  {"PodUID":"u2","ContainerName":"x","ResourceName":"example.com/other",
                   "DeviceIDs":{"0":["z"]},"AllocResp":""}],
                 "RegisteredDevices":{"volcano.sh/gpu-mem.128Mi":["aaaaaaaa-m0002"]}},
                 "Checksum":1234567890}
                """.formatted(devices);
    }

    @Test
    void devicesByNumaNodeAreRead() throws IOException {
        String json = checkpoint("{\"-1\":[\"aaaaaaaa-m0001\"],\"0\":[\"aaaaaaaa-m0000\"]}");
        assertEquals(EXPECTED, KubeletCheckpoint.parse(json).entries());
    }

    @Test
    void aPlainListOfDevicesIsRead() throws IOException {
        String json = checkpoint("[\"aaaaaaaa-m0001\",\"aaaaaaaa-m0000\"]");
        assertEquals(EXPECTED, KubeletCheckpoint.parse(json).entries());
    }

    /** Other containers of the pod count with it, and so does what an init container had. */
    @Test
    void wholeCardsOfTheVendorsPluginAreReadByPod_B12() throws IOException {
        String json = """
                {"Data":{"PodDeviceEntries":[
                  {"PodUID":"u1","ContainerName":"a","ResourceName":"nvidia.com/gpu",
                   "DeviceIDs":{"-1":["GPU-2"],"1":["GPU-1"]},"AllocResp":""},
                  {"PodUID":"u1","ContainerName":"b","ResourceName":"nvidia.com/gpu",
                   "DeviceIDs":["GPU-2","GPU-3::0"],"AllocResp":""},
                  {"PodUID":"u2","ContainerName":"x","ResourceName":"nvidia.com/mig-1g.5gb",
                   "DeviceIDs":["MIG-1"],"AllocResp":""}],
                 "RegisteredDevices":{}},"Checksum":1}
                """;
        assertEquals(
                new TreeMap<>(Map.of("u1", new TreeSet<>(Set.of("GPU-1", "GPU-2", "GPU-3::0")))),
                KubeletCheckpoint.parse(json).wholeCards());
        assertEquals(List.of(), KubeletCheckpoint.parse(json).entries());
    }

    @Test
    void aCheckpointWithoutPodsIsEmpty() throws IOException {
        assertEquals(
                KubeletBooks.EMPTY,
                KubeletCheckpoint.parse(
                        "{\"Data\":{\"PodDeviceEntries\":null,\"RegisteredDevices\":{}}}"));
    }

    @Test
    void whatIsNotUnderstoodIsSaid() {
        for (String text : List.of("", "{", "[]", "{\"Data\":{\"PodDeviceEntries\":[{}]}}", "7")) {
            assertThrows(IOException.class, () -> KubeletCheckpoint.parse(text), text);
        }
    }
}
