package dev.cede.coordinator.zookeeper;

import dev.cede.coordinator.loop.SavedPlan;
import dev.cede.coordinator.loop.SavedPlan.PlannedVictim;
import dev.cede.coordinator.planner.Placement;
import dev.cede.model.Amount;
import dev.cede.model.CardId;
import dev.cede.model.Epoch;
import dev.cede.model.PodRef;
import dev.cede.model.Share;
import dev.cede.model.ShareKey;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.StreamSupport;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A plan as bytes: JSON that names its version, so that a later program can tell what it reads. */
final class PlanCodec {
    /** Most bytes of a plan (F5); ZooKeeper itself refuses more than 1 MiB. */
    static final int MAX_BYTES = 512 << 10;

    static final int VERSION = 1;

    private static final JsonMapper JSON = new JsonMapper();

    private PlanCodec() {}

    static byte[] write(SavedPlan plan) {
        ObjectNode root = JSON.createObjectNode();
        root.put("version", VERSION)
                .put("id", plan.id())
                .put("epoch", plan.epoch().value())
                .put("workload", plan.workload())
                .put("saved", plan.saved().toString())
                .put("releaseTimeout", plan.releaseTimeout().toString());
        ArrayNode placements = root.putArray("placements");
        plan.placements().forEach(placement -> write(placement, placements.addObject()));
        ArrayNode victims = root.putArray("victims");
        plan.victims().forEach(victim -> write(victim, victims.addObject()));
        return JSON.writeValueAsBytes(root);
    }

    private static void write(Placement placement, ObjectNode to) {
        write(placement.pod(), to.putObject("pod"));
        to.put("node", placement.node());
        ArrayNode shares = to.putArray("shares");
        placement
                .shares()
                .forEach(share -> shares.addObject()
                        .put("container", share.container())
                        .put("card", share.card().uuid())
                        .put("units", share.amount().units())
                        .put("core", share.amount().core()));
        ArrayNode behind = to.putArray("behind");
        placement
                .behind()
                .forEach(key -> behind.addObject()
                        .put("podUid", key.podUid())
                        .put("container", key.container())
                        .put("card", key.card().uuid()));
    }

    private static void write(PlannedVictim victim, ObjectNode to) {
        write(victim.pod(), to.putObject("pod"));
        to.put("node", victim.node())
                .put("priority", victim.priority())
                .put("reason", victim.reason());
    }

    private static void write(PodRef pod, ObjectNode to) {
        to.put("namespace", pod.namespace()).put("name", pod.name()).put("uid", pod.uid());
    }

    /** Throws {@link IllegalArgumentException}, naming what is wrong. */
    static SavedPlan read(byte[] bytes) {
        try {
            return read(JSON.readTree(bytes));
        } catch (JacksonException | DateTimeException e) {
            throw new IllegalArgumentException("not a plan: " + e.getMessage(), e);
        }
    }

    private static SavedPlan read(JsonNode root) {
        int version = field(root, "version").intValue();
        if (version != VERSION) {
            throw new IllegalArgumentException(
                    "a plan of version " + version + "; this program reads version " + VERSION);
        }
        return new SavedPlan(
                text(root, "id"),
                new Epoch(field(root, "epoch").longValue()),
                text(root, "workload"),
                list(root, "placements", PlanCodec::placement),
                list(root, "victims", PlanCodec::victim),
                Instant.parse(text(root, "saved")),
                Duration.parse(text(root, "releaseTimeout")));
    }

    private static Placement placement(JsonNode from) {
        PodRef pod = pod(field(from, "pod"));
        return new Placement(
                pod,
                text(from, "node"),
                list(from, "shares", share -> share(pod, share)),
                new TreeSet<>(list(from, "behind", PlanCodec::key)));
    }

    private static Share share(PodRef pod, JsonNode from) {
        Amount amount =
                new Amount(field(from, "units").intValue(), field(from, "core").intValue());
        return new Share(pod, text(from, "container"), new CardId(text(from, "card")), amount);
    }

    private static ShareKey key(JsonNode from) {
        return new ShareKey(
                text(from, "podUid"), text(from, "container"), new CardId(text(from, "card")));
    }

    private static PlannedVictim victim(JsonNode from) {
        return new PlannedVictim(
                pod(field(from, "pod")),
                text(from, "node"),
                field(from, "priority").intValue(),
                text(from, "reason"));
    }

    private static PodRef pod(JsonNode from) {
        return new PodRef(text(from, "namespace"), text(from, "name"), text(from, "uid"));
    }

    private static <T> List<T> list(JsonNode from, String name, Function<JsonNode, T> read) {
        return StreamSupport.stream(field(from, name).spliterator(), false)
                .map(read)
                .toList();
    }

    private static String text(JsonNode from, String name) {
        return field(from, name).stringValue();
    }

    private static JsonNode field(JsonNode from, String name) {
        JsonNode field = from == null ? null : from.get(name);
        if (field == null) {
            throw new IllegalArgumentException("a plan without " + name);
        }
        return field;
    }
}
