package dev.cede.coordinator.config;

import dev.cede.config.Settings;
import dev.cede.config.SettingsException;
import dev.cede.coordinator.loop.OurNames;
import dev.cede.coordinator.loop.WorkloadPolicy;
import dev.cede.coordinator.planner.PlannerSettings;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A coordinator's configuration, as read once from its file.
 *
 * @param kubeconfig empty: as a pod of the cluster
 * @param zookeeper connect string, with an optional chroot
 * @param listen where our gRPC server listens
 * @param security how that server is protected
 * @param advertise the address told to agents as the leader's; empty: where we listen
 * @param schedulerNames of pods that are ours (A7)
 * @param planner what the planner may do, with the two switches
 * @param workloadPolicy which members of a workload start together (E1)
 * @param times how long the state machine waits for what
 * @param ignored keys of the documented product that mean nothing here (F2)
 */
public record CoordinatorConfig(
        Optional<Path> kubeconfig,
        ZooKeeper zookeeper,
        HostPort listen,
        Security security,
        Optional<HostPort> advertise,
        OurNames schedulerNames,
        PlannerSettings planner,
        WorkloadPolicy workloadPolicy,
        Times times,
        List<String> ignored) {

    /** The documented product's scheduler keys that are accepted and ignored (F2). */
    static final List<String> IGNORED_KEYS = List.of(
            "descheduler_enable",
            "deschedulingInterval",
            "enable_scale_in_score",
            "enable_workload_balancer",
            "oversubscription_method");

    /** Units of percent that a core step may have (A3). */
    private static final int MAX_CORE_STEP = 100;

    private static final Pattern CONNECT =
            Pattern.compile("[^\\s/,]+(,[^\\s/,]+)*(/[^\\s]*[^\\s/])?");

    private static final int MAX_SHARES = 1000;
    private static final String DEFAULT_LISTEN = "127.0.0.1:7070";
    private static final Duration DEFAULT_SESSION = Duration.ofSeconds(10);

    /**
     * Where plans and leadership are kept.
     *
     * @param connect {@code host:port,host:port/chroot}
     */
    public record ZooKeeper(String connect, Duration sessionTimeout) {}

    /**
     * How long the state machine waits.
     *
     * @param workloadSettle until no member of a workload of unknown size was added (E1)
     * @param releaseTimeout added to a victim's grace (E9)
     * @param attachTimeout for agents, at the start of a term and after a loss (C5)
     * @param nodeLost an agent away longer than this has lost its node (E13)
     * @param handOver for the pod that replaces one that was lost before it started (E14)
     * @param backoffFirst after the first failed effect of a workload (E12)
     * @param backoffMost after many (E12)
     */
    public record Times(
            Duration workloadSettle,
            Duration releaseTimeout,
            Duration attachTimeout,
            Duration nodeLost,
            Duration handOver,
            Duration backoffFirst,
            Duration backoffMost) {
        public static final Times DEFAULTS = new Times(
                Duration.ofSeconds(1),
                Duration.ofSeconds(30),
                Duration.ofSeconds(30),
                Duration.ofMinutes(5),
                Duration.ofSeconds(30),
                Duration.ofSeconds(1),
                Duration.ofSeconds(10));
    }

    /** Throws {@link SettingsException}, naming the key and what it takes. */
    public static CoordinatorConfig read(Path file) {
        return of(Settings.read(file));
    }

    public static CoordinatorConfig parse(String yaml) {
        return of(Settings.parse(yaml));
    }

    private static CoordinatorConfig of(Settings settings) {
        HostPort listen = HostPort.parse("listen", settings.text("listen").orElse(DEFAULT_LISTEN));
        CoordinatorConfig config = new CoordinatorConfig(
                settings.text("kubeconfig").map(Path::of),
                zookeeper(settings),
                listen,
                Security.read(settings, listen),
                settings.text("advertise").map(text -> HostPort.parse("advertise", text)),
                SchedulerNames.parse(settings.text("scheduler_names")),
                planner(settings),
                workloadPolicy(settings),
                times(settings),
                settings.ignore(IGNORED_KEYS));
        settings.requireAllTaken();
        return config;
    }

    private static ZooKeeper zookeeper(Settings settings) {
        String connect = settings.text("zookeeper")
                .orElseThrow(() -> new SettingsException(
                        "zookeeper is missing; it takes a connect string such as zk-0:2181"));
        if (!CONNECT.matcher(connect).matches()) {
            throw new SettingsException("zookeeper is " + connect
                    + "; it takes HOST:PORT, several with commas, then a /PATH if any");
        }
        return new ZooKeeper(
                connect, settings.duration("zookeeper_session_timeout", DEFAULT_SESSION));
    }

    private static PlannerSettings planner(Settings settings) {
        PlannerSettings defaults = PlannerSettings.DEFAULTS;
        return new PlannerSettings(
                settings.flag("enable_preemption", defaults.preemption()),
                settings.flag("enable_topology_aware_preemption", defaults.topologyAware()),
                settings.number("core_step", defaults.coreStep(), 1, MAX_CORE_STEP),
                settings.number("max_shares_per_card", defaults.maxSharesPerCard(), 1, MAX_SHARES),
                spread(settings, "card_policy"),
                spread(settings, "node_policy"),
                settings.word("mixed_nodes", "refuse", "refuse", "allow").equals("allow"),
                settings.duration("wait_for_release", defaults.waitForRelease()));
    }

    private static WorkloadPolicy workloadPolicy(Settings settings) {
        String word = settings.word("workload_policy", "all", "all", "strict", "min_available");
        return WorkloadPolicy.valueOf(word.toUpperCase(Locale.ROOT));
    }

    private static boolean spread(Settings settings, String key) {
        return settings.word(key, "binpack", "binpack", "spread").equals("spread");
    }

    private static Times times(Settings settings) {
        Times defaults = Times.DEFAULTS;
        Times times = new Times(
                settings.duration("workload_settle", defaults.workloadSettle()),
                settings.duration("release_timeout", defaults.releaseTimeout()),
                settings.duration("attach_timeout", defaults.attachTimeout()),
                settings.duration("node_lost", defaults.nodeLost()),
                settings.duration("hand_over", defaults.handOver()),
                settings.duration("backoff_first", defaults.backoffFirst()),
                settings.duration("backoff_most", defaults.backoffMost()));
        if (times.backoffFirst().compareTo(times.backoffMost()) > 0) {
            throw new SettingsException("backoff_first is longer than backoff_most; it takes "
                    + times.backoffMost().toMillis() + "ms at most");
        }
        return times;
    }
}
