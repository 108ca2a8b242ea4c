package dev.cede.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import java.net.URI;
import java.net.URLDecoder;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayDeque;
import java.util.Date;
import java.util.Deque;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.Timer;
import java.util.TreeSet;
import java.util.UUID;

/** What may use what. Each rule says what it is for. */
final class Rules {
    /** Packages in which nothing but decisions is made. */
    private static final String[] CORES = {
        "dev.cede.model..",
        "dev.cede.ledger..",
        "dev.cede.coordinator.cluster..",
        "dev.cede.coordinator.planner..",
        "dev.cede.coordinator.loop..",
        "dev.cede.agent.core..",
        "dev.cede.testbed.kubelet.core..",
        "dev.cede.sandbox.picture..",
    };

    /** Cores that share a package with their shell: this class, and what it reaches in there. */
    private static final String[] CORE_ROOTS = {
        "dev.cede.deviceplugin.Steering", "dev.cede.testbed.apiserver.ApiCore",
    };

    /** Beside the wire package, the two sides of each service: they receive and send messages. */
    private static final String[] SERVERS = {
        "dev.cede.wire..",
        "dev.cede.agent",
        "dev.cede.agent.link..",
        "dev.cede.coordinator.agents..",
        "dev.cede.coordinator.inspect..",
    };

    private final JavaClasses all;

    Rules(JavaClasses all) {
        this.all = all;
    }

    private DescribedPredicate<JavaClass> cores() {
        TreeSet<String> reached = new TreeSet<>();
        for (String root : CORE_ROOTS) {
            reached.addAll(reachedFrom(all.get(root)));
        }
        DescribedPredicate<JavaClass> mixed = describe(
                "mixed cores",
                one -> reached.contains(one.getBaseComponentType().getName()));
        return resideInAnyPackage(CORES).or(mixed).as("cores");
    }

    /** What a class leads to without leaving its package. */
    private static Set<String> reachedFrom(JavaClass root) {
        Set<String> found = new TreeSet<>();
        Deque<JavaClass> left = new ArrayDeque<>();
        left.add(root);
        while (!left.isEmpty()) {
            JavaClass next = left.removeFirst().getBaseComponentType();
            if (next.getPackageName().equals(root.getPackageName()) && found.add(next.getName())) {
                for (Dependency dependency : next.getDirectDependenciesFromSelf()) {
                    left.add(dependency.getTargetClass());
                }
            }
        }
        return found;
    }

    /**
     * A decision that reads a file or a socket cannot be replayed, and blocks the event loop. URI
     * and URLDecoder only take texts apart.
     */
    ArchRule coresDoNoInputOrOutput() {
        return noClasses()
                .that(cores())
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                                "java.io..", "java.nio.file..", "java.nio.channels..", "java.net..")
                        .and(DescribedPredicate.not(type(URI.class)))
                        .and(DescribedPredicate.not(type(URLDecoder.class)))
                        .or(type(ProcessBuilder.class))
                        .or(type(Process.class)));
    }

    /** One event loop decides; a second thread would make the order of decisions undefined. */
    ArchRule coresStartNoThreads() {
        return noClasses()
                .that(cores())
                .should()
                .dependOnClassesThat(resideInAPackage("java.util.concurrent..")
                        .or(type(Thread.class))
                        .or(type(Timer.class)));
    }

    /** What is to be told leaves the core as an effect, where a test can see it. */
    ArchRule coresDoNotLog() {
        return noClasses()
                .that(cores())
                .should()
                .dependOnClassesThat(resideInAnyPackage("org.slf4j..", "java.util.logging..")
                        .or(type(System.Logger.class)))
                .orShould()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err");
    }

    /** Time comes with the event, so that the simulation can own it. */
    ArchRule coresReadNoClock() {
        return noClasses()
                .that(cores())
                .should()
                .callMethod(Instant.class, "now")
                .orShould()
                .callMethod(LocalDateTime.class, "now")
                .orShould()
                .callMethod(ZonedDateTime.class, "now")
                .orShould()
                .callMethod(OffsetDateTime.class, "now")
                .orShould()
                .callMethod(InstantSource.class, "system")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callConstructor(Date.class)
                .orShould()
                .dependOnClassesThat(type(Clock.class));
    }

    /** Same input, same decision. The stand-ins' cores may draw, from a seed that they are given. */
    ArchRule coresDrawOnlyFromSeeds() {
        return noClasses()
                .that(cores())
                .should()
                .callConstructor(Random.class)
                .orShould()
                .callConstructor(SplittableRandom.class)
                .orShould()
                .callMethod(Math.class, "random")
                .orShould()
                .callMethod(UUID.class, "randomUUID")
                .orShould()
                .dependOnClassesThat(type(SecureRandom.class));
    }

    /** Cores decide about our own words; how those travel is the shell's business. */
    ArchRule coresKnowNoTransport() {
        return noClasses()
                .that(cores())
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "io.grpc..",
                        "io.netty..",
                        "io.fabric8..",
                        "com.sun.net..",
                        "com.sun.jna..",
                        "org.apache.curator..",
                        "org.apache.zookeeper..",
                        "dev.cede.v1.."));
    }

    /** A node's agent has no rights in the Kubernetes API, no ZooKeeper, and little memory. */
    ArchRule nodesSideKnowsNoClusterClients() {
        return noClasses()
                .that(resideInAnyPackage(
                        "dev.cede.agent..", "dev.cede.deviceplugin..", "dev.cede.nvml.."))
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "io.fabric8..", "org.apache.curator..", "org.apache.zookeeper.."));
    }

    /** One place where messages become the model: a field is read in one way only. */
    ArchRule messagesMeetTheModelOnlyAtTheWire() {
        DescribedPredicate<JavaClass> messages = resideInAPackage("dev.cede.v1..");
        return noClasses()
                .that(resideInAPackage("dev.cede..")
                        .and(DescribedPredicate.not(resideInAnyPackage(SERVERS)))
                        .and(DescribedPredicate.not(messages))
                        .and(describe("know messages", one -> dependsOn(one, messages))))
                .should()
                .dependOnClassesThat(resideInAPackage("dev.cede.model.."));
    }

    private static boolean dependsOn(JavaClass one, DescribedPredicate<JavaClass> wanted) {
        return one.getDirectDependenciesFromSelf().stream()
                .anyMatch(dependency -> wanted.test(dependency.getTargetClass()));
    }

    /** The words stand on nothing: everything else is said in them. */
    ArchRule theModelStandsAlone() {
        return classes()
                .that(resideInAPackage("dev.cede.model.."))
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage("dev.cede.model..", "java.."));
    }

    /** Books are kept by the same code at both ends, so they know neither end. */
    ArchRule theLedgerKnowsOnlyTheModel() {
        return classes()
                .that(resideInAPackage("dev.cede.ledger.."))
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage("dev.cede.ledger..", "dev.cede.model..", "java.."));
    }

    /** Stand-ins that knew the product would agree with its mistakes. */
    ArchRule theTestbedDoesNotKnowTheProduct() {
        return noClasses()
                .that(resideInAPackage("dev.cede.testbed.."))
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "dev.cede.agent..",
                        "dev.cede.coordinator..",
                        "dev.cede.deviceplugin..",
                        "dev.cede.ledger..",
                        "dev.cede.model..",
                        "dev.cede.wire..",
                        "dev.cede.sandbox.."));
    }

    /** The agent decides about its node, the coordinator about the cluster; they only talk. */
    ArchRule agentAndCoordinatorShareOnlyTheLanguage() {
        return noClasses()
                .that(resideInAnyPackage(
                        "dev.cede.agent..", "dev.cede.deviceplugin..", "dev.cede.nvml.."))
                .should()
                .dependOnClassesThat(resideInAPackage("dev.cede.coordinator.."));
    }

    /** The same the other way; the coordinator has no driver either. */
    ArchRule theCoordinatorKnowsNoNode() {
        return noClasses()
                .that(resideInAPackage("dev.cede.coordinator.."))
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "dev.cede.agent..",
                        "dev.cede.deviceplugin..",
                        "dev.cede.nvml..",
                        "com.sun.jna.."));
    }

    /** A run that looked into the product could see what nobody else can. */
    ArchRule theSandboxSeesOnlyWhatOperatorsSee() {
        return noClasses()
                .that(resideInAPackage("dev.cede.sandbox.."))
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "dev.cede.agent..",
                        "dev.cede.coordinator..",
                        "dev.cede.deviceplugin..",
                        "dev.cede.ledger..",
                        "dev.cede.model.."));
    }
}
