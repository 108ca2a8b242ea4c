package dev.cede.agent;

import dev.cede.agent.core.NodeEffect;
import dev.cede.agent.core.NodeEvent;
import dev.cede.agent.host.LimitFiles;
import dev.cede.deviceplugin.CallRefused;
import dev.cede.deviceplugin.DeviceKind;
import dev.cede.deviceplugin.Grant;
import dev.cede.deviceplugin.KubeletCalls;
import dev.cede.deviceplugin.Offer;
import dev.cede.model.CardId;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;

/** Kubelet's calls on their way to the loop and back. */
final class KubeletSide implements KubeletCalls {
    /** The device files every CUDA process opens besides its card's own. */
    private static final List<String> COMMON_FILES = List.of("nvidiactl", "nvidia-uvm");

    private final EventLoop loop;
    private final AgentConfig config;
    private final LimitFiles limits;
    private final AtomicLong calls = new AtomicLong();
    private final Map<Long, CompletableFuture<Object>> waiting = new ConcurrentHashMap<>();

    KubeletSide(EventLoop loop, AgentConfig config, LimitFiles limits) {
        this.loop = loop;
        this.config = config;
        this.limits = limits;
    }

    LimitFiles limits() {
        return limits;
    }

    @Override
    @SuppressWarnings("unchecked") // the loop answers a call with what this kind of call takes
    public CompletionStage<List<List<String>>> prefer(DeviceKind kind, List<Offer> offers) {
        return ask(call -> new NodeEvent.Prefer(call, kind, offers))
                .thenApply(answer -> (List<List<String>>) answer);
    }

    @Override
    @SuppressWarnings("unchecked") // as above
    public CompletionStage<List<Grant>> allocate(DeviceKind kind, List<List<String>> requests) {
        return ask(call -> new NodeEvent.Allocate(call, kind, requests))
                .thenApply(answer -> (List<Grant>) answer);
    }

    @Override
    public CompletionStage<Void> preStart(DeviceKind kind, List<String> ids) {
        return ask(call -> new NodeEvent.PreStart(call, kind, ids)).thenAccept(answer -> {});
    }

    @Override
    public void listening(DeviceKind kind, boolean open) {
        loop.post(new NodeEvent.Listening(kind, open));
    }

    @Override
    public void kubeletStarted(long ageMillis) {
        loop.post(new NodeEvent.KubeletStarted(ageMillis));
    }

    private CompletableFuture<Object> ask(LongFunction<NodeEvent.Call> event) {
        long call = calls.incrementAndGet();
        CompletableFuture<Object> answer = new CompletableFuture<>();
        waiting.put(call, answer);
        loop.post(event.apply(call));
        return answer;
    }

    void answer(long call, Object value) {
        CompletableFuture<Object> answer = waiting.remove(call);
        if (answer != null) {
            answer.complete(value);
        }
    }

    void refuse(long call, String reason) {
        CompletableFuture<Object> answer = waiting.remove(call);
        if (answer != null) {
            answer.completeExceptionally(new CallRefused(reason));
        }
    }

    /**
     * @param minors N of /dev/nvidiaN, by card
     */
    List<Grant> grants(List<NodeEffect.Granted> granted, Map<CardId, Integer> minors) {
        List<Grant> grants = new ArrayList<>();
        for (NodeEffect.Granted each : granted) {
            grants.add(
                    each.kind() == DeviceKind.CORE
                            ? new Grant.Core(each.size())
                            : memory(each, minors));
        }
        return grants;
    }

    private Grant memory(NodeEffect.Granted granted, Map<CardId, Integer> minors) {
        SortedMap<String, Path> files = new TreeMap<>();
        COMMON_FILES.forEach(name -> addIfThere(files, name));
        granted.cards().stream()
                .filter(minors::containsKey)
                .forEach(card -> addIfThere(files, "nvidia" + minors.get(card)));
        return new Grant.Memory(
                granted.cards().stream().map(CardId::uuid).toList(),
                limits.directory(granted.limitName()).toAbsolutePath(),
                files);
    }

    private void addIfThere(SortedMap<String, Path> files, String name) {
        Path host = config.deviceRoot().resolve(name);
        if (Files.exists(host)) {
            files.put("/dev/" + name, host.toAbsolutePath());
        }
    }
}
