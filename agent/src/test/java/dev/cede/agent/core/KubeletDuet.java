package dev.cede.agent.core;

import dev.cede.deviceplugin.DeviceKind;
import dev.cede.deviceplugin.DeviceLists;
import dev.cede.deviceplugin.KubeletBooks;
import dev.cede.deviceplugin.KubeletEntry;
import dev.cede.deviceplugin.Offer;
import dev.cede.kubelet.deviceplugin.AllocateResponse;
import dev.cede.kubelet.deviceplugin.ContainerAllocateResponse;
import dev.cede.testbed.kubelet.core.Checkpoint;
import dev.cede.testbed.kubelet.core.Effect;
import dev.cede.testbed.kubelet.core.Event;
import dev.cede.testbed.kubelet.core.Event.Answer;
import dev.cede.testbed.kubelet.core.KubeletCore;
import dev.cede.testbed.kubelet.core.KubeletSettings;
import dev.cede.testbed.kubelet.core.PickMode;
import dev.cede.testbed.kubelet.core.PluginDevice;
import dev.cede.testbed.kubelet.core.PodSpec;
import dev.cede.testbed.kubelet.core.PodStatusView;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A kubelet's core and an agent's core talking to each other, without a thread or a socket. */
final class KubeletDuet {
    final Node node = Node.withCards(3);
    final KubeletCore kubelet;
    final Map<String, PodStatusView> statuses = new TreeMap<>();
    private final Map<Long, DeviceKind> clients = new TreeMap<>();
    private final ArrayDeque<Effect> work = new ArrayDeque<>();
    private final boolean preference;
    private Instant now = Instant.EPOCH;
    private long calls;

    /**
     * @param preference whether kubelet asks which devices to take
     */
    KubeletDuet(long seed, boolean preference) {
        this.preference = preference;
        this.kubelet = new KubeletCore(
                KubeletSettings.of(seed).withPicks(PickMode.WORST),
                Checkpoint.EMPTY,
                List.of(),
                now);
        tell(new Event.Started());
        tell(new Event.SourcesReady());
        for (DeviceKind kind : DeviceKind.values()) {
            tell(new Event.RegisterCalled(++calls, "v1beta1", kind + ".sock", kind.resource()));
        }
    }

    void tell(Event event) {
        now = now.plusMillis(1);
        node.now++;
        work.addAll(kubelet.on(event, now));
        while (!work.isEmpty()) {
            Optional<Event> answer = carryOut(work.poll());
            answer.ifPresent(next -> work.addAll(kubelet.on(next, now)));
        }
    }

    void bind(List<PodSpec> pods) {
        tell(new Event.PodsAdded(pods));
    }

    private Optional<Event> carryOut(Effect effect) {
        return switch (effect) {
            case Effect.DialPlugin dial -> Optional.of(dialled(dial));
            case Effect.OpenListAndWatch open ->
                Optional.of(
                        new Event.DevicesListed(open.client(), list(clients.get(open.client()))));
            case Effect.AskPreference ask -> Optional.of(preferred(ask));
            case Effect.AskAllocate ask -> Optional.of(allocated(ask));
            case Effect.WriteCheckpoint write -> {
                node.on(new NodeEvent.KubeletRead(
                        new KubeletBooks(entries(write.checkpoint()), new TreeMap<>())));
                yield Optional.empty();
            }
            case Effect.WriteStatus write -> {
                statuses.put(write.status().pod().uid(), write.status());
                yield Optional.empty();
            }
            case Effect.MergeConflict conflict ->
                throw new AssertionError("the two resources' answers clash: " + conflict);
            default -> Optional.empty();
        };
    }

    private Event dialled(Effect.DialPlugin dial) {
        for (DeviceKind kind : DeviceKind.values()) {
            if (kind.resource().equals(dial.resource())) {
                clients.put(dial.client(), kind);
            }
        }
        return new Event.PluginDialed(dial.client(), new Event.PluginOptions(false, preference));
    }

    private List<PluginDevice> list(DeviceKind kind) {
        return DeviceLists.of(node.cards, node.state.books().names()).byKind().get(kind).stream()
                .map(device -> PluginDevice.healthy(device.id()))
                .toList();
    }

    private Event preferred(Effect.AskPreference ask) {
        node.on(new NodeEvent.Prefer(
                ask.call(),
                clients.get(ask.client()),
                List.of(new Offer(
                        List.copyOf(ask.available()),
                        List.copyOf(ask.mustInclude()),
                        ask.size()))));
        Answer<List<String>> answer = node.only(NodeEffect.AnswerPreferred.class)
                .map(chosen -> Answer.of(chosen.ids().getFirst()))
                .orElseGet(() -> Answer.failed(refusal()));
        return new Event.PreferenceAnswered(ask.call(), answer);
    }

    private Event allocated(Effect.AskAllocate ask) {
        node.on(new NodeEvent.Allocate(ask.call(), clients.get(ask.client()), List.of(ask.ids())));
        Answer<AllocateResponse> answer = node.only(NodeEffect.AnswerAllocated.class)
                .map(granted -> Answer.of(AllocateResponse.newBuilder()
                        .addContainerResponses(ContainerAllocateResponse.getDefaultInstance())
                        .build()))
                .orElseGet(() -> Answer.failed(refusal()));
        return new Event.AllocateAnswered(ask.call(), answer);
    }

    private String refusal() {
        return node.only(NodeEffect.RefuseCall.class).orElseThrow().reason();
    }

    private static List<KubeletEntry> entries(Checkpoint checkpoint) {
        List<KubeletEntry> entries = new ArrayList<>();
        for (Checkpoint.Entry entry : checkpoint.entries()) {
            for (DeviceKind kind : DeviceKind.values()) {
                if (kind.resource().equals(entry.resource())) {
                    entries.add(new KubeletEntry(
                            entry.podUid(),
                            entry.container(),
                            kind,
                            entry.grant().ids()));
                }
            }
        }
        return entries;
    }
}
