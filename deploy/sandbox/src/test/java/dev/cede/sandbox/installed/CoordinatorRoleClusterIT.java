package dev.cede.sandbox.installed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.sandbox.cluster.Await;
import dev.cede.sandbox.installed.AuditLog.Right;
import dev.cede.sandbox.kubernetes.Clients;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The coordinator's role holds what the coordinator does, and no more. */
@Tag("installed")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class CoordinatorRoleClusterIT {
    private static final String ROLE = "cede-coordinator";

    @RegisterExtension
    private final Installation cede = new Installation();

    private final AuditLog log = new AuditLog(cede.cluster().auditLog());
    private KubernetesClient client;
    private ClusterRole whole;

    @BeforeEach
    void readRole() {
        client = Clients.of(cede.cluster().kubeconfig());
        whole = role();
    }

    @AfterEach
    void restoreRole() {
        replace(whole.getRules());
        client.close();
    }

    private ClusterRole role() {
        return client.rbac().clusterRoles().withName(ROLE).get();
    }

    private void replace(List<PolicyRule> rules) {
        client.rbac().clusterRoles().withName(ROLE).edit(role -> {
            role.setRules(rules);
            return role;
        });
    }

    /**
     * Whatever is called is in the API server's log; so a right that is not used shows here, and
     * one that is missing in what was refused.
     */
    @Test
    void everyRightOfTheRoleIsUsedAndNoneIsMissing() {
        int before = log.length();
        PodGroups.define(cede.kubectl());
        try {
            PodGroups.make(cede.kubectl());
            cede.turn(true);
            playExample();
            // Gone in one step, so that only a read past all caches tells.
            cede.kubectl()
                    .run(
                            "-n",
                            Installation.NAMESPACE,
                            "delete",
                            "pod",
                            "-l",
                            "app=high",
                            "--force");
            SortedSet<Right> granted = AuditLog.of(whole);
            Await.until("every right is used: " + granted, () -> log.used().equals(granted));
            assertEquals(Set.of(), log.missed(before));
        } finally {
            PodGroups.remove(cede.kubectl());
        }
    }

    /** Each of the rights by which it changes something, and what does not happen without it. */
    @ParameterizedTest
    @CsvSource({"create,pods/binding", "patch,pods/status", "delete,pods", "create,events"})
    void withoutARightTheExampleStopsAndGoesOnWhenItIsGivenBack(String verb, String resource) {
        Right taken = new Right(verb, "", resource);
        int before = log.length();
        replace(without(taken));
        cede.turn(true);
        cede.apply("10-low.yaml", "low", 2);
        cede.apply("20-high.yaml", "high", 1);
        Await.until("the call is refused: " + taken, () -> !log.missed(before).isEmpty());
        assertEquals(Set.of(taken), log.missed(before));
        assertTrue(isUndone(resource), () -> "done without the right: " + taken);

        replace(whole.getRules());
        cede.awaitRunning("high", 1);
        cede.awaitRunning("low", 1);
    }

    private boolean isUndone(String resource) {
        return switch (resource) {
            case "pods/binding" -> cede.running("low") + cede.running("high") == 0;
            case "pods/status" ->
                cede.pods("high").stream().allMatch(pod -> pod.reason().isEmpty());
            case "pods" -> cede.running("low") == 2 && cede.running("high") == 0;
            case "events" -> coordinatorEvents().isEmpty();
            default -> throw new IllegalArgumentException(resource);
        };
    }

    private String coordinatorEvents() {
        return cede.get(
                "events", "-o", "name", "--field-selector", "reportingComponent=cede-coordinator");
    }

    private void playExample() {
        cede.apply("10-low.yaml", "low", 2);
        cede.awaitRunning("low", 2);
        cede.apply("20-high.yaml", "high", 1);
        cede.awaitRunning("high", 1);
    }

    private List<PolicyRule> without(Right taken) {
        List<PolicyRule> left = new ArrayList<>();
        for (PolicyRule rule : whole.getRules()) {
            boolean concerned = rule.getApiGroups().contains(taken.group())
                    && rule.getResources().contains(taken.resource());
            List<String> verbs = rule.getVerbs().stream()
                    .filter(verb -> !concerned || !verb.equals(taken.verb()))
                    .toList();
            if (!verbs.isEmpty()) {
                left.add(rule.edit().withVerbs(verbs).build());
            }
        }
        ClusterRole less = whole.edit().withRules(left).build();
        assertEquals(AuditLog.of(whole).size() - 1, AuditLog.of(less).size(), "one less: " + taken);
        return left;
    }
}
