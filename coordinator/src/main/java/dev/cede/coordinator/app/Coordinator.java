package dev.cede.coordinator.app;

import dev.cede.coordinator.agents.AgentLinks;
import dev.cede.coordinator.config.ConfigWatch;
import dev.cede.coordinator.config.CoordinatorConfig;
import dev.cede.coordinator.config.HostPort;
import dev.cede.coordinator.inspect.InspectService;
import dev.cede.coordinator.kubernetes.ApiServer;
import dev.cede.coordinator.kubernetes.ClusterWatch;
import dev.cede.coordinator.kubernetes.KubernetesEffects;
import dev.cede.coordinator.kubernetes.TokenReviewCalls;
import dev.cede.coordinator.loop.Core;
import dev.cede.coordinator.loop.Event;
import dev.cede.coordinator.loop.Snapshot;
import dev.cede.coordinator.zookeeper.Leadership;
import dev.cede.coordinator.zookeeper.TermGate;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running coordinator: all parts, put together. */
public final class Coordinator implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Coordinator.class);

    /** Longest that an operator waits for a snapshot. */
    private static final Duration SNAPSHOT_TIMEOUT = Duration.ofSeconds(10);

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private HostPort address;

    private Coordinator() {}

    /**
     * What a coordinator is made of.
     *
     * @param file where {@code config} was read, and is followed from now on
     * @param onBug told when the state machine failed; the process has to end then
     */
    public record Parts(
            Path file, CoordinatorConfig config, Core core, Consumer<Throwable> onBug) {}

    /** Throws {@link IOException} when the address cannot be listened on. */
    public static Coordinator start(Parts made) throws IOException {
        Coordinator coordinator = new Coordinator();
        try {
            coordinator.run(made);
            return coordinator;
        } catch (IOException | RuntimeException e) {
            coordinator.close();
            throw e;
        }
    }

    private void run(Parts made) throws IOException {
        CoordinatorConfig config = made.config();
        InstantSource clock = InstantSource.system();
        EventLoop loop = keep(new EventLoop(made.core(), clock, made.onBug()));
        AtomicReference<Supplier<String>> leader = new AtomicReference<>(() -> "");
        Health health = new Health();
        KubernetesClient client = keep(ApiServer.connect(config.kubeconfig()));
        Protection protection =
                keep(new Protection(config.security(), new TokenReviewCalls(client)));
        AgentLinks agents = new AgentLinks(loop, () -> leader.get().get(), protection.gate());
        GrpcServer server = keep(GrpcServer.start(
                config.listen().resolve(),
                protection.tls(),
                List.of(
                        agents,
                        new InspectService(
                                () -> snapshot(loop),
                                () -> leader.get().get(),
                                protection.refusals()::counts),
                        health.service())));
        address = config.advertise()
                .orElseGet(() -> new HostPort(config.listen().host(), server.port()));
        TermGate gate = new TermGate();
        Leadership leadership = keep(Leadership.start(
                new Leadership.Candidacy(
                        config.zookeeper().connect(),
                        config.zookeeper().sessionTimeout(),
                        address.toString()),
                loop,
                gate));
        leader.set(leadership::leader);
        KubernetesEffects effects =
                keep(new KubernetesEffects(client, loop, gate::mayStart, clock));
        loop.start(new EffectRunner(effects, leadership, agents, health));
        keep(ClusterWatch.start(client, loop));
        keep(ConfigWatch.start(
                made.file(), config, now -> loop.post(new Event.SettingsChanged(now))));
        keep(health::stop);
        LOG.info("started listen={} advertise={}", listening(config, server), address);
    }

    private static HostPort listening(CoordinatorConfig config, GrpcServer server) {
        return new HostPort(config.listen().host(), server.port());
    }

    /** Under which we are reached. */
    public HostPort address() {
        return address;
    }

    private <T extends AutoCloseable> T keep(T part) {
        parts.push(part);
        return part;
    }

    private static Snapshot snapshot(EventLoop loop) {
        try {
            return loop.snapshot().get(SNAPSHOT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw Status.DEADLINE_EXCEEDED
                    .withDescription("the event loop is busy")
                    .asRuntimeException();
        } catch (ExecutionException e) {
            throw Status.INTERNAL.withDescription(e.getCause().toString()).asRuntimeException();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Status.CANCELLED.asRuntimeException();
        }
    }

    /** In the reverse order of their start: the latch is given up while the loop still runs. */
    @Override
    public void close() {
        while (!parts.isEmpty()) {
            AutoCloseable part = parts.pop();
            try {
                part.close();
            } catch (Exception e) {
                LOG.warn("not_closed part={} error=\"{}\"", part, e.toString());
            }
        }
    }
}
