package dev.cede.coordinator.planner;

import dev.cede.coordinator.cluster.ContainerFacts;
import dev.cede.coordinator.cluster.NodeNeeds;
import dev.cede.coordinator.cluster.OwnerRef;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.cluster.PodPhase;
import dev.cede.coordinator.planner.NodeView.PodOnNode;
import dev.cede.ledger.NodeLedger;
import dev.cede.model.Amount;
import dev.cede.model.Epoch;
import dev.cede.model.PodRef;
import dev.cede.model.Reservation;
import dev.cede.model.Resources;
import dev.cede.model.Share;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Pods in the rule book's notation: {@code H(p1000,64u,50%)}; several containers as {@code
 * 16u+48u}; several cards as {@code @c0+c1}, one for each container or, with {@code cards=2}, both
 * for all of them. Further words:
 *
 * <ul>
 *   <li>{@code gpus=1+2}, whole cards of containers without shares (B12);
 *   <li>{@code cards=2}, over which the amounts are split;
 *   <li>{@code ns=kube-system}, {@code class=system-x}, {@code owner=ReplicaSet/x}, {@code static},
 *       {@code preemptable=false}, {@code never}, {@code selector=hostname};
 *   <li>{@code leaving=20} with seconds of grace left, {@code promised}, {@code overdue}, {@code
 *       finished};
 *   <li>{@code reserved} (bound, not started), {@code unbound}, {@code started=40} in seconds, {@code
 *       cpu=500}.
 * </ul>
 */
final class Pods {
    static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    private Pods() {}

    /** A pod with its shares on a node. */
    record Placed(PodFacts pod, String node, List<Share> shares, List<String> words) {
        PodOnNode onNode() {
            return new PodOnNode(pod, words.contains("promised"), words.contains("overdue"));
        }

        NodeLedger book(NodeLedger ledger) {
            if (words.contains("reserved") || words.contains("unbound")) {
                return ledger.with(
                        new Reservation(pod.ref(), shares, new TreeSet<>(), new Epoch(1), ""));
            }
            NodeLedger next = ledger;
            for (Share share : shares) {
                next = next.allocate(share);
            }
            return onNode().leaving() ? next.releasing(pod.uid()) : next;
        }
    }

    static PodFacts pending(String text) {
        return pod(text, words(text), Optional.empty());
    }

    static Placed placed(String text) {
        int at = text.lastIndexOf('@');
        String pod = text.substring(0, at);
        String[] path = text.substring(at + 1).split("/", -1);
        String node = path.length == 1 ? "n0" : path[0];
        String[] cards = path[path.length - 1].split("\\+", -1);
        List<String> words = words(pod);
        PodFacts facts =
                pod(pod, words, words.contains("unbound") ? Optional.empty() : Optional.of(node));
        List<Share> shares = new ArrayList<>();
        List<Amount> amounts = amounts(words);
        int over = over(words);
        for (int i = 0; i < amounts.size(); i++) {
            int own = Math.min(i, cards.length - 1);
            for (String card : over > 1 ? List.of(cards) : List.of(cards[own])) {
                shares.add(new Share(
                        facts.ref(), "main" + i, World.cardId(node, card), amounts.get(i)));
            }
        }
        return new Placed(facts, node, shares, words);
    }

    private static int over(List<String> words) {
        return value(words, "cards").map(Integer::parseInt).orElse(1);
    }

    private static List<String> words(String text) {
        return Arrays.asList(
                text.substring(text.indexOf('(') + 1, text.lastIndexOf(')')).split(",", -1));
    }

    private static Optional<String> value(List<String> words, String key) {
        return words.stream()
                .filter(word -> word.startsWith(key + "="))
                .map(word -> word.substring(key.length() + 1))
                .findFirst();
    }

    /** On each card; each container gets its own percent, or the one percent given. */
    static List<Amount> amounts(List<String> words) {
        String units = words.stream()
                .filter(word -> word.matches("[0-9]+u(\\+[0-9]+u)*"))
                .findFirst()
                .orElse("");
        String[] percents = words.stream()
                .filter(word -> word.endsWith("%"))
                .findFirst()
                .orElse("0%")
                .split("\\+", -1);
        List<Amount> amounts = new ArrayList<>();
        for (String unit : units.isEmpty() ? new String[0] : units.split("\\+", -1)) {
            String percent = percents[Math.min(amounts.size(), percents.length - 1)];
            amounts.add(new Amount(number(unit) / over(words), number(percent) / over(words)));
        }
        return amounts;
    }

    private static int number(String text) {
        return Integer.parseInt(text.substring(0, text.length() - 1));
    }

    private static int priority(List<String> words) {
        return words.stream()
                .filter(word -> word.matches("p-?[0-9]+"))
                .mapToInt(word -> Integer.parseInt(word.substring(1)))
                .findFirst()
                .orElse(0);
    }

    private static PodFacts pod(String text, List<String> words, Optional<String> node) {
        String name = text.substring(0, text.indexOf('('));
        String namespace = value(words, "ns").orElse("default");
        Optional<Instant> leaving =
                value(words, "leaving").map(seconds -> NOW.plusSeconds(Long.parseLong(seconds)));
        Map<String, String> annotations = new TreeMap<>();
        value(words, "preemptable").ifPresent(v -> annotations.put(Resources.PREEMPTABLE, v));
        Map<String, Long> requests = new TreeMap<>();
        value(words, "cpu").ifPresent(milli -> requests.put("cpu", Long.valueOf(milli)));
        return new PodFacts(
                new PodRef(namespace, name, "uid-" + name),
                "1",
                "volcano",
                priority(words),
                value(words, "class").orElse(""),
                words.contains("never"),
                false,
                node,
                Optional.empty(),
                phase(words, node),
                "",
                NOW.minusSeconds(1000),
                leaving,
                Duration.ofSeconds(30),
                value(words, "started").map(s -> NOW.minusSeconds(1000 - Long.parseLong(s))),
                value(words, "owner").map(Pods::owner),
                words.contains("static"),
                labels(words),
                annotations,
                containers(words),
                requests,
                value(words, "selector")
                        .map(v -> new NodeNeeds(
                                Map.of("kubernetes.io/hostname", v), List.of(), List.of()))
                        .orElse(NodeNeeds.NONE),
                "",
                Epoch.NONE,
                false);
    }

    private static PodPhase phase(List<String> words, Optional<String> node) {
        if (words.contains("finished")) {
            return PodPhase.SUCCEEDED;
        }
        return node.isEmpty() || words.contains("reserved") ? PodPhase.PENDING : PodPhase.RUNNING;
    }

    private static OwnerRef owner(String text) {
        String[] parts = text.split("/", -1);
        return new OwnerRef(parts[0], parts[1], "uid-" + parts[1]);
    }

    private static Map<String, String> labels(List<String> words) {
        Map<String, String> labels = new TreeMap<>();
        value(words, "label")
                .map(text -> text.split(":", -1))
                .ifPresent(parts -> labels.put(parts[0], parts[1]));
        value(words, "cards").ifPresent(number -> labels.put(Resources.GPU_NUMBER, number));
        return labels;
    }

    private static List<ContainerFacts> containers(List<String> words) {
        List<ContainerFacts> containers = new ArrayList<>();
        for (Amount amount : amounts(words)) {
            containers.add(new ContainerFacts(
                    "main" + containers.size(),
                    ContainerFacts.Kind.APP,
                    Integer.toString(amount.units() * over(words)),
                    "",
                    amount.core() == 0 ? "" : Integer.toString(amount.core() * over(words)),
                    "",
                    ""));
        }
        for (String count :
                value(words, "gpus").map(v -> v.split("\\+", -1)).orElse(new String[0])) {
            containers.add(new ContainerFacts(
                    "gpus" + containers.size(), ContainerFacts.Kind.APP, "", "", "", "", count));
        }
        return containers;
    }
}
