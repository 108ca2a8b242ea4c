package dev.cede.agent;

import dev.cede.agent.core.NodeEffect;
import dev.cede.agent.core.NodeEvent;
import dev.cede.agent.host.CheckpointFile;
import dev.cede.agent.host.DriverReader;
import dev.cede.agent.host.LimitFiles;
import dev.cede.agent.link.CoordinatorLink;
import dev.cede.deviceplugin.DevicePlugin;
import dev.cede.deviceplugin.Grant;
import dev.cede.deviceplugin.KubeletCheckpoint;
import dev.cede.model.CardId;
import dev.cede.nvml.NvmlException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out what the core decided. Driver and kubelet's checkpoint are read on own threads. */
final class Effects implements EventLoop.Runner, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Effects.class);

    private static final String NO_LIMITS = "the agent could not write the container's limits";

    /** All that effects act on. */
    record Parts(
            CheckpointFile checkpoint,
            DriverReader driver,
            KubeletSide kubelet,
            DevicePlugin plugin,
            CoordinatorLink link,
            CardServer cards) {}

    private final EventLoop loop;
    private final Parts parts;
    private final AgentConfig config;
    private final LimitFiles limits;
    private final ExecutorService driverThread = daemon("cede-driver");
    private final ExecutorService kubeletThread = daemon("cede-kubelet-checkpoint");
    private final Map<CardId, Integer> minors = new TreeMap<>();

    /** Directories of limits that could not be written: their containers do not start. */
    private final Set<String> unwritten = new TreeSet<>();

    Effects(EventLoop loop, Parts parts, AgentConfig config) {
        this.loop = loop;
        this.parts = parts;
        this.config = config;
        this.limits = parts.kubelet().limits();
    }

    private static ExecutorService daemon(String name) {
        return Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    @Override
    public void save(NodeEffect.Save save) throws IOException {
        parts.checkpoint().save(save.checkpoint());
    }

    @Override
    public void run(NodeEffect effect) {
        switch (effect) {
            case NodeEffect.Save save -> throw new IllegalStateException("saved elsewhere");
            case NodeEffect.Publish publish -> publish(publish);
            case NodeEffect.SendResult send -> parts.link().send(send.result());
            case NodeEffect.SendRefused refused -> parts.link().sendRefused(refused.reason());
            case NodeEffect.ReadDriver read -> on(driverThread, () -> readDriver(read));
            case NodeEffect.ReadKubelet read -> on(kubeletThread, this::readKubelet);
            case NodeEffect.PublishDevices devices -> parts.plugin().publish(devices.lists());
            case NodeEffect.MakeLimits make -> files(make.name(), () -> limits.make(make.name()));
            case NodeEffect.WriteLimits write ->
                files(write.name(), () -> limits.write(write.name(), write.limits()));
            case NodeEffect.ForgetLimits forget ->
                files(forget.name(), () -> limits.forget(forget.name()));
            case NodeEffect.AnswerPreferred answer ->
                parts.kubelet().answer(answer.call(), answer.ids());
            case NodeEffect.AnswerAllocated answer -> allocated(answer);
            case NodeEffect.AnswerStarted answer -> started(answer);
            case NodeEffect.RefuseCall refuse ->
                parts.kubelet().refuse(refuse.call(), refuse.reason());
            case NodeEffect.Log line -> LOG.info("{}", line.line());
        }
    }

    @Override
    public void discard(NodeEffect effect, String reason) {
        switch (effect) {
            case NodeEffect.AnswerPreferred answer -> parts.kubelet().refuse(answer.call(), reason);
            case NodeEffect.AnswerAllocated answer -> parts.kubelet().refuse(answer.call(), reason);
            case NodeEffect.AnswerStarted answer -> parts.kubelet().refuse(answer.call(), reason);
            case NodeEffect.RefuseCall refuse ->
                parts.kubelet().refuse(refuse.call(), refuse.reason());
            case NodeEffect.SendResult send -> parts.link().reconnect(reason);
            default -> LOG.debug("event=not_done effect={}", effect);
        }
    }

    private void publish(NodeEffect.Publish publish) {
        publish.report().cards().forEach(card -> minors.put(card.id(), card.minor()));
        parts.link().send(publish.report());
        parts.cards().publish(new CardView(publish.report(), publish.ledger()));
    }

    private static void on(ExecutorService thread, Runnable task) {
        try {
            thread.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("event=reader_closed_already");
        }
    }

    private void readDriver(NodeEffect.ReadDriver read) {
        try {
            loop.post(new NodeEvent.DriverRead(parts.driver().read(read.ticket(), read.pods())));
        } catch (IOException | NvmlException e) {
            loop.post(new NodeEvent.DriverFailed(read.ticket(), e.getMessage()));
        }
    }

    private void readKubelet() {
        try {
            loop.post(new NodeEvent.KubeletRead(
                    KubeletCheckpoint.read(config.devicePluginDirectory())));
        } catch (IOException e) {
            loop.post(new NodeEvent.KubeletUnreadable(e.getMessage()));
        }
    }

    private interface FileTask {
        void run() throws IOException;
    }

    private void allocated(NodeEffect.AnswerAllocated answer) {
        if (answer.grants().stream().anyMatch(each -> unwritten.contains(each.limitName()))) {
            parts.kubelet().refuse(answer.call(), NO_LIMITS);
        } else {
            List<Grant> grants = parts.kubelet().grants(answer.grants(), Map.copyOf(minors));
            parts.kubelet().answer(answer.call(), grants);
        }
    }

    private void started(NodeEffect.AnswerStarted answer) {
        if (unwritten.contains(answer.limitName())) {
            parts.kubelet().refuse(answer.call(), NO_LIMITS);
        } else {
            parts.kubelet().answer(answer.call(), List.of());
        }
    }

    private void files(String name, FileTask task) {
        try {
            task.run();
            unwritten.remove(name);
        } catch (IOException e) {
            unwritten.add(name);
            LOG.error("event=limits_not_written name={} reason=\"{}\"", name, e.toString());
        }
    }

    @Override
    public void close() {
        on(driverThread, parts.driver()::close);
        driverThread.shutdown();
        kubeletThread.shutdown();
    }
}
