package dev.cede.coordinator.inspect;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.cluster.PodPhase;
import dev.cede.coordinator.loop.Snapshot.NodeState;
import dev.cede.coordinator.loop.Snapshot.OtherPod;
import dev.cede.coordinator.loop.Snapshot.Release;
import dev.cede.model.Drift;
import dev.cede.model.PodRef;
import dev.cede.model.Reservation;
import dev.cede.model.Share;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Where a pod stands that is on a node, is over, or is gone. */
final class Stays {
    private final Known known;

    Stays(Known known) {
        this.known = known;
    }

    List<Standing> of(OtherPod other) {
        PodFacts pod = other.pod();
        List<Standing> standings = new ArrayList<>();
        if (!ours(pod)) {
            standings.add(new Standing.NotOurs(pod.schedulerName(), known.now().schedulerNames()));
        }
        if (pod.finished()) {
            standings.add(new Standing.Over(pod.phase(), pod.statusReason()));
            List<Standing> left = remains(pod.ref());
            standings.addAll(left.isEmpty() ? List.of(new Standing.HoldsNothing()) : left);
        } else {
            pod.nodeName().ifPresent(node -> standings.addAll(onNode(other, node)));
        }
        standings.addAll(drifts(pod));
        return standings;
    }

    private boolean ours(PodFacts pod) {
        return known.now().schedulerNames().contains(pod.schedulerName());
    }

    /** Of a pod that only books name. */
    List<Standing> gone(PodRef pod) {
        List<Standing> standings = new ArrayList<>();
        standings.add(new Standing.ObjectGone());
        known.nodesWithSharesOf(pod.uid()).stream()
                .map(node -> node.view().name())
                .filter(node -> known.releases(pod.uid()).stream().noneMatch(Release::letGo))
                .forEach(node -> standings.add(new Standing.Unconfirmed(node)));
        standings.addAll(remains(pod));
        return standings;
    }

    private List<Standing> onNode(OtherPod other, String name) {
        PodFacts pod = other.pod();
        List<Standing> standings = new ArrayList<>();
        Optional<NodeState> node = known.node(name);
        if (pod.terminating()) {
            standings.add(new Standing.Leaving(name, pod.deletionTimestamp().orElseThrow()));
            standings.addAll(releases(pod.ref()));
        } else if (node.isEmpty()) {
            standings.add(new Standing.NodeUnknown(name));
        } else {
            standings.add(onNode(other, node.get()));
        }
        node.ifPresent(there -> standings.addAll(has(there, pod)));
        node.filter(there -> other.asks()).flatMap(Stays::away).ifPresent(standings::add);
        known.nodesWithSharesOf(pod.uid()).stream()
                .map(there -> there.view().name())
                .filter(there -> !there.equals(name))
                .forEach(there -> standings.add(new Standing.SharesElsewhere(there)));
        return standings;
    }

    private static Standing onNode(OtherPod other, NodeState node) {
        PodFacts pod = other.pod();
        String name = node.view().name();
        boolean given = !Known.shares(node, pod.uid()).isEmpty();
        Optional<Reservation> open = Known.reserved(node, pod.uid());
        if (given && open.isPresent()) {
            return new Standing.PartlyAllocated(name, containers(open.get()));
        }
        if (open.isPresent()) {
            return new Standing.NotAllocated(name);
        }
        return given ? served(pod, name) : unserved(other, node);
    }

    private static Standing served(PodFacts pod, String node) {
        return pod.phase() == PodPhase.PENDING
                ? new Standing.NotStarted(node)
                : new Standing.Runs(node, pod.priority());
    }

    private static Standing unserved(OtherPod other, NodeState node) {
        String name = node.view().name();
        if (!other.asks()) {
            return new Standing.WithoutShares(name);
        }
        return node.report().isEmpty()
                ? new Standing.BooksUnknown(name, node.view().closed().orElse(""))
                : new Standing.Unplanned(name);
    }

    private static Set<String> containers(Reservation open) {
        return open.shares().stream()
                .map(Share::container)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<Standing> has(NodeState node, PodFacts pod) {
        return Known.shares(node, pod.uid()).stream()
                .<Standing>map(booked -> new Standing.Has(
                        booked.share(), card(node, booked.share()), node.view().name()))
                .toList();
    }

    private static String card(NodeState node, Share share) {
        return Optional.ofNullable(node.view().ledger().cards().get(share.card()))
                .map(card -> card.shortName())
                .orElse(share.card().uuid());
    }

    private static Optional<Standing> away(NodeState node) {
        return node.attached() || node.report().isEmpty()
                ? Optional.empty()
                : Optional.of(new Standing.AgentAway(
                        node.view().name(), node.view().closed().orElse("")));
    }

    /** What a pod leaves behind. */
    private List<Standing> remains(PodRef pod) {
        List<Standing> standings = new ArrayList<>(releases(pod));
        known.now().nodes().stream()
                .filter(node -> Known.reserved(node, pod.uid()).isPresent())
                .forEach(node ->
                        standings.add(new Standing.StillReserved(node.view().name())));
        return standings;
    }

    private List<Standing> releases(PodRef pod) {
        return known.releases(pod.uid()).stream()
                .flatMap(release -> Stream.concat(release(release), overdue(release)))
                .toList();
    }

    private Stream<Standing> release(Release release) {
        if (!release.letGo()) {
            return known.isListed(release.pod())
                    ? Stream.of(new Standing.NotLetGo(release.node()))
                    : Stream.empty();
        }
        List<Standing> kept =
                SnapshotWire.blocking(release.pod(), release.node(), known.now()).stream()
                        .<Standing>map(Standing.KeptBy::new)
                        .toList();
        return Stream.concat(Stream.of(new Standing.BeingMeasured(release.node())), kept.stream());
    }

    private static Stream<Standing> overdue(Release release) {
        return release.deadline().stream()
                .filter(deadline -> release.overdue())
                .map(Standing.Overdue::new);
    }

    /** Differences that its agent noted and whose latest is about this pod. */
    private List<Standing> drifts(PodFacts pod) {
        return pod.nodeName().flatMap(known::node).stream()
                .flatMap(node -> node.report().stream())
                .flatMap(report -> report.drifts().stream()
                        .filter(drift -> isAbout(drift, pod.ref()))
                        .<Standing>map(drift -> new Standing.Drifted(report.node(), drift)))
                .toList();
    }

    private static boolean isAbout(Drift drift, PodRef pod) {
        return drift.last().contains(pod.uid())
                || (drift.last() + " ").contains(pod.namespacedName() + " ");
    }
}
