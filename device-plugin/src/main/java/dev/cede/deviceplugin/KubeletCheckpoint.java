package dev.cede.deviceplugin;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;

import dev.cede.model.Resources;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Kubelet's own record of devices: the only place that tells which pod has which. Undocumented, so
 * every layout seen is read (devices by NUMA node, and a plain list), and nothing is written.
 */
public final class KubeletCheckpoint {
    /** In the device-plugin directory. */
    public static final String FILE = "kubelet_internal_checkpoint";

    private KubeletCheckpoint() {}

    /**
     * All that it says of cards; nothing where kubelet has not written a checkpoint yet.
     *
     * @throws IOException where the file cannot be read or understood
     */
    public static KubeletBooks read(Path devicePluginDirectory) throws IOException {
        try {
            return parse(Files.readString(devicePluginDirectory.resolve(FILE)));
        } catch (NoSuchFileException e) {
            return KubeletBooks.EMPTY;
        }
    }

    static KubeletBooks parse(String json) throws IOException {
        try {
            JsonElement root = JsonParser.parseString(json);
            List<KubeletEntry> entries = new ArrayList<>();
            SortedMap<String, SortedSet<String>> wholeCards = new TreeMap<>();
            for (JsonElement each : podEntries(root.getAsJsonObject())) {
                entry(each.getAsJsonObject()).ifPresent(entries::add);
                addWholeCards(wholeCards, each.getAsJsonObject());
            }
            return new KubeletBooks(entries, wholeCards);
        } catch (JsonParseException | IllegalStateException | UnsupportedOperationException e) {
            throw new IOException("kubelet's checkpoint is not understood: " + e.getMessage(), e);
        }
    }

    private static JsonArray podEntries(JsonObject root) {
        JsonElement data = root.get("Data");
        if (data == null || data.isJsonNull()) {
            return new JsonArray();
        }
        JsonElement entries = data.getAsJsonObject().get("PodDeviceEntries");
        return entries == null || entries.isJsonNull() ? new JsonArray() : entries.getAsJsonArray();
    }

    private static Optional<KubeletEntry> entry(JsonObject entry) {
        String resource = text(entry, "ResourceName");
        for (DeviceKind kind : DeviceKind.values()) {
            if (kind.resource().equals(resource)) {
                return Optional.of(new KubeletEntry(
                        text(entry, "PodUID"),
                        text(entry, "ContainerName"),
                        kind,
                        ids(entry.get("DeviceIDs"))));
            }
        }
        return Optional.empty();
    }

    private static void addWholeCards(
            SortedMap<String, SortedSet<String>> wholeCards, JsonObject entry) {
        if (text(entry, "ResourceName").equals(Resources.WHOLE_CARD)) {
            wholeCards
                    .computeIfAbsent(text(entry, "PodUID"), uid -> new TreeSet<>())
                    .addAll(ids(entry.get("DeviceIDs")));
        }
    }

    private static String text(JsonObject entry, String name) {
        JsonElement value = entry.get(name);
        if (value == null) {
            throw new JsonParseException("an entry without " + name);
        }
        return value.getAsString();
    }

    private static List<String> ids(JsonElement devices) {
        List<String> ids = new ArrayList<>();
        if (devices == null || devices.isJsonNull()) {
            return ids;
        }
        if (devices.isJsonArray()) {
            addAll(ids, devices.getAsJsonArray());
        } else {
            devices.getAsJsonObject()
                    .asMap()
                    .values()
                    .forEach(list -> addAll(ids, list.getAsJsonArray()));
        }
        return ids;
    }

    private static void addAll(List<String> ids, JsonArray list) {
        list.forEach(id -> ids.add(id.getAsString()));
    }
}
