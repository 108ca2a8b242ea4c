package dev.cede.testbed.kubelet.sockets;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.cede.kubelet.deviceplugin.ContainerAllocateResponse;
import dev.cede.testbed.kubelet.core.Checkpoint;
import dev.cede.testbed.kubelet.core.Grant;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Kubelet's file about devices, in its form and under its name; replaced as a whole. */
public final class CheckpointFile {
    public static final String NAME = "kubelet_internal_checkpoint";

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Path file;

    public CheckpointFile(Path directory) {
        this.file = directory.resolve(NAME);
    }

    public void write(Checkpoint checkpoint) {
        ObjectNode data = JSON.createObjectNode();
        ArrayNode entries = data.putArray("PodDeviceEntries");
        checkpoint.entries().forEach(entry -> write(entry, entries.addObject()));
        ObjectNode registered = data.putObject("RegisteredDevices");
        checkpoint.registered().forEach((resource, ids) -> {
            ArrayNode list = registered.putArray(resource);
            ids.forEach(list::add);
        });
        ObjectNode root = JSON.createObjectNode();
        root.set("Data", data);
        root.put("Checksum", checksum(JSON.writeValueAsString(data)));
        replace(JSON.writeValueAsString(root));
    }

    private static void write(Checkpoint.Entry entry, ObjectNode node) {
        node.put("PodUID", entry.podUid());
        node.put("ContainerName", entry.container());
        node.put("ResourceName", entry.resource());
        ObjectNode ids = node.putObject("DeviceIDs");
        entry.grant().idsByNuma().forEach((numa, devices) -> {
            ArrayNode list = ids.putArray(String.valueOf(numa));
            devices.forEach(list::add);
        });
        byte[] response = entry.grant().response().toByteArray();
        node.put("AllocResp", Base64.getEncoder().encodeToString(response));
    }

    /** FNV-1a as kubelet's, but over the JSON: kubelet's own number depends on Go's printer. */
    private static long checksum(String data) {
        int hash = 0x811c9dc5;
        for (byte octet : data.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (octet & 0xff)) * 0x01000193;
        }
        return Integer.toUnsignedLong(hash);
    }

    private void replace(String text) {
        Path draft = file.resolveSibling("." + NAME + ".tmp");
        try {
            Files.writeString(draft, text);
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write kubelet's checkpoint", e);
        }
    }

    /** What an earlier run left; empty where there is no file. */
    public Checkpoint read() {
        if (!Files.exists(file)) {
            return Checkpoint.EMPTY;
        }
        try {
            JsonNode data = JSON.readTree(Files.readString(file)).get("Data");
            List<Checkpoint.Entry> entries = new ArrayList<>();
            for (JsonNode entry : data.get("PodDeviceEntries")) {
                entries.add(entry(entry));
            }
            SortedMap<String, List<String>> registered = new TreeMap<>();
            data.get("RegisteredDevices")
                    .properties()
                    .forEach(resource ->
                            registered.put(resource.getKey(), strings(resource.getValue())));
            return new Checkpoint(entries, registered);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read kubelet's checkpoint", e);
        }
    }

    private static Checkpoint.Entry entry(JsonNode node) throws InvalidProtocolBufferException {
        SortedMap<Long, List<String>> ids = new TreeMap<>();
        node.get("DeviceIDs")
                .properties()
                .forEach(numa -> ids.put(Long.parseLong(numa.getKey()), strings(numa.getValue())));
        byte[] response = Base64.getDecoder().decode(node.get("AllocResp").asString());
        return new Checkpoint.Entry(
                node.get("PodUID").asString(),
                node.get("ContainerName").asString(),
                node.get("ResourceName").asString(),
                new Grant(ids, ContainerAllocateResponse.parseFrom(response)));
    }

    private static List<String> strings(JsonNode array) {
        List<String> strings = new ArrayList<>();
        array.forEach(item -> strings.add(item.asString()));
        return strings;
    }
}
