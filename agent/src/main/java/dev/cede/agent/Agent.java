package dev.cede.agent;

import dev.cede.agent.core.NodeEvent;
import dev.cede.agent.core.NodeSettings;
import dev.cede.agent.core.NodeState;
import dev.cede.agent.host.CheckpointFile;
import dev.cede.agent.host.DriverReader;
import dev.cede.agent.host.LimitFiles;
import dev.cede.agent.host.ProcessTable;
import dev.cede.agent.link.CoordinatorLink;
import dev.cede.agent.link.Dialer;
import dev.cede.deviceplugin.DevicePlugin;
import dev.cede.deviceplugin.UnixSockets;
import dev.cede.model.Epoch;
import dev.cede.model.Order;
import dev.cede.nvml.CardInventory;
import dev.cede.nvml.NvmlCardInventory;
import java.io.IOException;
import java.nio.file.Files;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A node's agent: starts its parts, connects them to the loop, and stops them again. */
public final class Agent implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Agent.class);

    private final AtomicBoolean closed = new AtomicBoolean();
    private final UnixSockets sockets = new UnixSockets();
    private final EventLoop loop;
    private final CardServer cards;
    private final Dialer dialer;
    private final CoordinatorLink link;
    private final DevicePlugin plugin;
    private final Effects effects;

    private Agent(AgentConfig config, Supplier<CardInventory> driver) throws IOException {
        this.dialer = new Dialer(config.security());
        Files.createDirectories(config.stateDirectory());
        CheckpointFile checkpoint = new CheckpointFile(config.stateDirectory());
        String instance = UUID.randomUUID().toString();
        NodeState state = restore(checkpoint, settings(config, instance));
        this.loop = new EventLoop(state, config.releasePoll());
        this.cards = CardServer.start(sockets, config.listen());
        this.link = new CoordinatorLink(config.coordinators(), dialer, new LinkEvents(loop));
        KubeletSide kubelet =
                new KubeletSide(loop, config, new LimitFiles(config.stateDirectory()));
        this.plugin = DevicePlugin.start(
                sockets, config.devicePluginDirectory(), instance.substring(0, 8), kubelet);
        this.effects = new Effects(
                loop,
                new Effects.Parts(
                        checkpoint,
                        new DriverReader(driver, new ProcessTable(config.procRoot())),
                        kubelet,
                        plugin,
                        link,
                        cards),
                config);
        loop.start(effects);
        link.start();
        LOG.info(
                "event=started node={} instance={} listen={}",
                config.node(),
                instance,
                cards.address());
    }

    /** Throws {@link IOException} where a directory or an address cannot be used. */
    public static Agent start(AgentConfig config) throws IOException {
        return start(config, () -> NvmlCardInventory.open(config.nvmlLibrary()));
    }

    /** The same with another driver. */
    public static Agent start(AgentConfig config, Supplier<CardInventory> driver)
            throws IOException {
        return new Agent(config, driver);
    }

    private static NodeSettings settings(AgentConfig config, String instance) {
        return new NodeSettings(
                config.node(),
                instance,
                config.maxSharesPerCard(),
                config.placeUnplanned(),
                config.poll().toMillis(),
                config.releasePoll().toMillis());
    }

    private static NodeState restore(CheckpointFile file, NodeSettings settings)
            throws IOException {
        return switch (file.load()) {
            case CheckpointFile.Loaded.Found found ->
                NodeState.restored(settings, found.checkpoint());
            case CheckpointFile.Loaded.Missing missing -> NodeState.fresh(settings);
            case CheckpointFile.Loaded.Damaged damaged -> {
                LOG.error(
                        "event=checkpoint_damaged node={} reason=\"{}\" then=\"what kubelet's"
                                + " checkpoint says counts\"",
                        settings.node(),
                        damaged.reason());
                file.setAside();
                yield NodeState.fresh(settings);
            }
        };
    }

    /** Where its own service listens: host:port, or unix: and a path. */
    public String address() {
        return cards.address();
    }

    /** Completes when the agent cannot go on; its message is for the operator. */
    public CompletableFuture<String> failure() {
        return loop.failure();
    }

    /** Stops serving; containers keep what they have. A second call does nothing. */
    @Override
    public void close() {
        if (closed.getAndSet(true)) {
            return;
        }
        link.close();
        dialer.close();
        plugin.close();
        cards.close();
        loop.close();
        effects.close();
        sockets.close();
    }

    private record LinkEvents(EventLoop loop) implements CoordinatorLink.Listener {
        @Override
        public void connected() {
            loop.post(new NodeEvent.Connected());
        }

        @Override
        public void disconnected() {
            loop.post(new NodeEvent.Disconnected());
        }

        @Override
        public void ordered(Epoch epoch, String orderId, Order order) {
            loop.post(new NodeEvent.Ordered(epoch, orderId, order));
        }
    }
}
