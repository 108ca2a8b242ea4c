package dev.cede.testbed.kubelet;

import dev.cede.testbed.kubelet.api.NodeApi;
import dev.cede.testbed.kubelet.api.NodeView;
import dev.cede.testbed.kubelet.api.PodReader;
import dev.cede.testbed.kubelet.core.Effect;
import dev.cede.testbed.kubelet.core.Event;
import dev.cede.testbed.kubelet.core.KubeletCore;
import dev.cede.testbed.kubelet.processes.Containers;
import dev.cede.testbed.kubelet.sockets.CheckpointFile;
import dev.cede.testbed.kubelet.sockets.PluginConnections;
import dev.cede.testbed.kubelet.sockets.PodResourcesService;
import dev.cede.testbed.kubelet.sockets.RegistrationService;
import dev.cede.testbed.kubelet.sockets.UnixSockets;
import io.fabric8.kubernetes.api.model.Pod;
import io.grpc.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Kubelet from one start to the next stop: one thread asks the core and does what it says. */
final class KubeletRun implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KubeletRun.class);
    private static final String SOCKET = "kubelet.sock";
    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

    private final KubeletConfig config;
    private final Containers containers;
    private final UnixSockets sockets = new UnixSockets();
    private final ScheduledThreadPoolExecutor loop;
    private final PluginConnections plugins;
    private final RegistrationService registration = new RegistrationService(this::post);
    private final CheckpointFile checkpoint;
    private final ApiWriter writer;
    private final KubeletCore core;
    private Optional<Server> registrationServer = Optional.empty();
    private Optional<Server> podResourcesServer = Optional.empty();
    private Optional<NodeApi.Watch> watch = Optional.empty();
    private Optional<Future<?>> alarm = Optional.empty();

    KubeletRun(KubeletConfig config, Containers containers) throws IOException {
        this.config = config;
        this.containers = containers;
        Files.createDirectories(config.pluginDir());
        Files.createDirectories(config.podResourcesSocket().getParent());
        this.loop = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "kubelet-" + config.nodeName());
            thread.setDaemon(true);
            return thread;
        });
        loop.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        this.plugins = new PluginConnections(
                new PluginConnections.Settings(sockets, config.pluginDir(), config.limits()),
                loop,
                this::post);
        this.checkpoint = new CheckpointFile(config.pluginDir());
        this.writer = new ApiWriter(config.api(), config.nodeName());
        this.core = new KubeletCore(
                config.settings(),
                checkpoint.read(),
                containers.survivors(),
                config.clock().instant());
    }

    void start() throws IOException {
        UnixSockets.wipe(config.pluginDir());
        UnixSockets.wipe(config.podResourcesSocket().getParent());
        post(new Event.Started());
        podResourcesServer = Optional.of(sockets.serve(
                config.podResourcesSocket(), new PodResourcesService(this::ask, System::nanoTime)));
        registrationServer = Optional.of(sockets.serve(registrationSocket(), registration));
        watch = Optional.of(config.api().watchPods(config.nodeName(), new PodFeed()));
    }

    private Path registrationSocket() {
        return config.pluginDir().resolve(SOCKET);
    }

    private final class PodFeed implements NodeApi.PodListener {
        @Override
        public void known(List<Pod> pods) {
            post(new Event.PodsAdded(pods.stream().map(PodReader::read).toList()));
            post(new Event.SourcesReady());
        }

        @Override
        public void added(Pod pod) {
            post(new Event.PodsAdded(List.of(PodReader.read(pod))));
        }

        @Override
        public void changed(Pod pod) {
            post(new Event.PodChanged(PodReader.read(pod)));
        }

        @Override
        public void gone(Pod pod) {
            post(new Event.PodGone(PodReader.id(pod)));
        }
    }

    /** Takes an event from any thread; after the end nobody listens any more. */
    void post(Event event) {
        submit(() -> {
            Instant now = config.clock().instant();
            core.on(event, now).forEach(this::carryOut);
            setAlarm(now);
        });
    }

    <T> void ask(Function<KubeletCore, T> question, Consumer<T> answer) {
        submit(() -> answer.accept(question.apply(core)));
    }

    private void submit(Runnable task) {
        try {
            loop.execute(() -> {
                try {
                    task.run();
                } catch (RejectedExecutionException e) {
                    LOG.debug("kubelet of node={} is being stopped", config.nodeName());
                } catch (RuntimeException e) {
                    LOG.error("kubelet of node={} stumbled", config.nodeName(), e);
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("kubelet of node={} is stopped", config.nodeName());
        }
    }

    private void setAlarm(Instant now) {
        alarm.ifPresent(old -> old.cancel(false));
        if (loop.isShutdown()) {
            return;
        }
        alarm = core.nextDue().map(due -> {
            long millis = Math.max(0, Duration.between(now, due).toMillis() + 1);
            return loop.schedule(() -> post(new Event.TimePassed()), millis, TimeUnit.MILLISECONDS);
        });
    }

    private void carryOut(Effect effect) {
        LOG.debug("node={} {}", config.nodeName(), effect.getClass().getSimpleName());
        switch (effect) {
            case Effect.AnswerRegister answer -> registration.answer(answer);
            case Effect.DialPlugin dial -> plugins.dial(dial);
            case Effect.OpenListAndWatch open -> plugins.listAndWatch(open.client());
            case Effect.CloseClient close -> plugins.close(close.client());
            case Effect.AskPreference ask -> plugins.preference(ask);
            case Effect.AskAllocate ask -> plugins.allocate(ask);
            case Effect.AskPreStart ask -> plugins.preStart(ask);
            case Effect.WriteCheckpoint write -> checkpoint.write(write.checkpoint());
            case Effect.WriteStatus write -> writer.status(write);
            case Effect.RemovePod remove -> writer.remove(remove);
            case Effect.EmitEvent emit -> writer.event(emit);
            case Effect.PublishNode publish ->
                writer.node(NodeView.of(
                        config.nodeName(),
                        config.settings(),
                        publish,
                        config.clock().instant()));
            case Effect.StartContainer start -> containers.start(start.launch());
            case Effect.SignalContainer signal ->
                containers.signal(signal.podUid(), signal.container(), signal.kill());
            case Effect.CleanPod clean -> containers.clean(clean.podUid());
            case Effect.MergeConflict conflict ->
                LOG.error(
                        "plugins disagree pod={} container={} about={} key={}",
                        conflict.pod(),
                        conflict.container(),
                        conflict.what(),
                        conflict.key());
        }
    }

    @Override
    public void close() {
        watch.ifPresent(NodeApi.Watch::close);
        endLoop();
        writer.close();
        plugins.close();
        registrationServer.ifPresent(server -> UnixSockets.abandon(server, registrationSocket()));
        podResourcesServer.ifPresent(
                server -> UnixSockets.abandon(server, config.podResourcesSocket()));
        sockets.close();
    }

    /** After it nothing is started any more; a process half started would be lost. */
    private void endLoop() {
        loop.shutdown();
        try {
            if (!loop.awaitTermination(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                LOG.error("kubelet of node={} does not come to an end", config.nodeName());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
