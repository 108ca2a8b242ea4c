package dev.cede.coordinator.planner;

import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.planner.NodeView.PodOnNode;
import dev.cede.coordinator.planner.Resident.Standing;
import dev.cede.ledger.NodeLedger;
import dev.cede.model.BookedShare;
import dev.cede.model.Card;
import dev.cede.model.IsolationType;
import dev.cede.model.Reservation;
import dev.cede.model.Share;
import dev.cede.model.ShareKey;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Reads a node's books and pods into what the search works on. */
final class NodeStates {
    private final NodeView view;
    private final Protection protection;
    private final Instant now;
    private final TreeMap<String, List<Share>> standing = new TreeMap<>();
    private final Set<String> promised = new TreeSet<>();

    private NodeStates(NodeView view, Protection protection, Instant now) {
        this.view = view;
        this.protection = protection;
        this.now = now;
        NodeLedger ledger = view.ledger();
        Stream.concat(
                        ledger.shares().values().stream().map(BookedShare::share),
                        ledger.reservations().values().stream()
                                .filter(reservation -> !reservation.isHold())
                                .flatMap(reservation -> reservation.shares().stream()))
                .forEach(share -> standing.computeIfAbsent(
                                share.pod().uid(), uid -> new ArrayList<>())
                        .add(share));
        ledger.reservations().values().stream()
                .flatMap(reservation -> reservation.behind().stream())
                .map(ShareKey::podUid)
                .forEach(promised::add);
    }

    static NodeState of(NodeView view, Protection protection, Instant now) {
        return new NodeStates(view, protection, now).state();
    }

    private NodeState state() {
        TreeMap<String, Resident> residents = new TreeMap<>();
        for (PodOnNode there : view.pods()) {
            List<Share> shares = standing.get(there.pod().uid());
            if (shares != null) {
                residents.put(there.pod().uid(), resident(there, shares));
            }
        }
        return NodeState.untouched(
                view,
                view.ledger().cardsByIndex().stream()
                        .map(card -> card(card, residents))
                        .toList());
    }

    private Resident resident(PodOnNode there, List<Share> shares) {
        PodFacts pod = there.pod();
        Optional<String> stays = there.leaving() ? staysLeaving(there) : stays(there);
        Standing standingOf = there.leaving() ? Standing.LEAVING : Standing.MAY_GO;
        return new Resident(
                pod,
                shares,
                stays.isPresent() ? Standing.STAYS : standingOf,
                remaining(pod),
                stays.orElse(""));
    }

    /** Nobody waits for what somebody else waits for, or for what may never come (C5). */
    private Optional<String> staysLeaving(PodOnNode there) {
        if (isPromised(there)) {
            return Optional.of("leaves for another pod");
        }
        return there.releaseOverdue()
                ? Optional.of("is past its release deadline")
                : Optional.empty();
    }

    private Optional<String> stays(PodOnNode there) {
        if (isPromised(there)) {
            return Optional.of("is about to leave for another pod");
        }
        Reservation reserved = view.ledger().reservations().get(there.pod().uid());
        if (!there.pod().bound() || (reserved != null && reserved.isHold())) {
            return Optional.of("is about to start there");
        }
        return protection.of(there.pod());
    }

    private boolean isPromised(PodOnNode there) {
        return there.promised() || promised.contains(there.pod().uid());
    }

    private Duration remaining(PodFacts pod) {
        Duration left = pod.finished()
                ? Duration.ZERO
                : pod.deletionTimestamp()
                        .map(end -> Duration.between(now, end))
                        .orElse(Duration.ZERO);
        return left.isNegative() ? Duration.ZERO : left;
    }

    private CardState card(Card card, Map<String, Resident> residents) {
        List<Resident> here = residents.values().stream()
                .filter(resident -> resident.isOn(card.id()))
                .sorted(Resident.BY_NAME)
                .toList();
        Set<IsolationType> settled = EnumSet.noneOf(IsolationType.class);
        Stream.concat(
                        standing.entrySet().stream()
                                .filter(each -> !residents.containsKey(each.getKey()))
                                .flatMap(each -> each.getValue().stream()),
                        view.ledger().reservations().values().stream()
                                .filter(Reservation::isHold)
                                .flatMap(hold -> hold.shares().stream()))
                .filter(share -> share.card().equals(card.id()))
                .forEach(share -> settled.add(share.amount().type()));
        var books = view.ledger().books(card.id());
        return new CardState(
                card,
                books.load(),
                Collections.unmodifiableSet(settled),
                here,
                books.maxShares(),
                closed(card));
    }

    private Optional<String> closed(Card card) {
        return card.takesNew()
                ? WholeCards.closing(view, card)
                : Optional.of(card.shortName() + " takes nothing new: " + card.healthReason());
    }
}
