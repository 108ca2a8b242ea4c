package dev.cede.agent.core;

import dev.cede.deviceplugin.DeviceNames;
import dev.cede.deviceplugin.Steering;
import dev.cede.ledger.NodeLedger;
import dev.cede.model.BookedShare;
import dev.cede.model.CardId;
import dev.cede.model.Drift;
import dev.cede.model.NodeReport;
import dev.cede.model.ShareState;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * All an agent knows, immutable.
 *
 * @param drifts by kind
 * @param reported the last report
 */
public record NodeState(
        NodeSettings settings,
        Books books,
        Term term,
        KubeletView kubelet,
        DriverView driver,
        SortedMap<String, Drift> drifts,
        Optional<NodeReport> reported) {

    public NodeState {
        drifts = Collections.unmodifiableSortedMap(new TreeMap<>(drifts));
    }

    /** An agent that was never here before, or whose checkpoint is lost. */
    public static NodeState fresh(NodeSettings settings) {
        return new NodeState(
                settings,
                Books.empty(settings.maxShares()),
                Term.after(dev.cede.model.Epoch.NONE),
                KubeletView.unknown(),
                DriverView.unknown(List.of()),
                new TreeMap<>(),
                Optional.empty());
    }

    /** An agent after its restart: what it saved, and nothing of what must be read anew. */
    public static NodeState restored(NodeSettings settings, Checkpoint saved) {
        NodeLedger ledger = NodeLedger.of(
                new NodeReport(
                        settings.node(),
                        settings.instance(),
                        0,
                        saved.highestEpoch(),
                        false,
                        "",
                        List.of(),
                        saved.shares(),
                        saved.reservations(),
                        List.of(),
                        List.of()),
                settings.maxShares());
        TreeMap<CardId, String> prefixes = new TreeMap<>();
        saved.prefixes().forEach((uuid, prefix) -> prefixes.put(new CardId(uuid), prefix));
        TreeMap<ContainerKey, Held> held = new TreeMap<>();
        saved.held().forEach(each -> held.put(each.key(), each));
        Books books = new Books(
                        ledger,
                        saved.reservations().stream()
                                .map(each -> each.pod().uid())
                                .toList(),
                        held,
                        new Steering(
                                new DeviceNames(prefixes), List.of(), saved.given(), List.of()),
                        new TreeSet<>(saved.over()),
                        new TreeMap<>(saved.freed()))
                .settled();
        DriverView driver = DriverView.unknown(saved.attributions());
        for (BookedShare share : saved.shares()) {
            if (share.state() == ShareState.RELEASING) {
                driver = driver.needing(share.share().pod().uid());
            }
        }
        return new NodeState(
                settings,
                books,
                Term.after(saved.highestEpoch()),
                KubeletView.unknown(),
                driver,
                new TreeMap<>(),
                Optional.empty());
    }

    Checkpoint checkpoint() {
        TreeMap<String, String> prefixes = new TreeMap<>();
        books.names().prefixes().forEach((card, prefix) -> prefixes.put(card.uuid(), prefix));
        return new Checkpoint(
                term.highest(),
                prefixes,
                books.order().stream()
                        .map(uid -> books.ledger().reservations().get(uid))
                        .toList(),
                List.copyOf(books.ledger().shares().values()),
                List.copyOf(books.held().values()),
                books.steering().given(),
                List.copyOf(books.over()),
                books.freed(),
                driver.attributions());
    }

    public NodeLedger ledger() {
        return books.ledger();
    }
}
