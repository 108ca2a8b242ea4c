package dev.cede.deviceplugin;

import dev.cede.deviceplugin.Match.Found;
import dev.cede.deviceplugin.Match.None;
import dev.cede.model.CardId;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/** One call of kubelet, perhaps for several containers: what earlier ones took counts for later. */
final class Round {
    private final Steering before;
    private final DeviceKind kind;
    private final CallContext context;
    private final List<Given> given;
    private final List<Given> open;
    private final List<Given> opened = new ArrayList<>();

    Round(Steering before, DeviceKind kind, CallContext context) {
        this.before = before;
        this.kind = kind;
        this.context = context;
        this.given = new ArrayList<>(before.given());
        this.open = new ArrayList<>(before.open().stream()
                .filter(each -> context.nowMillis() - each.atMillis() <= Steering.OPEN_MILLIS)
                .filter(each -> each.kind() == kind.counterpart())
                .toList());
    }

    DeviceKind kind() {
        return kind;
    }

    DeviceNames names() {
        return before.names();
    }

    /** Devices that a container has, whether it is known or not. */
    Set<String> taken() {
        Set<String> taken = new HashSet<>(context.held());
        given.forEach(each -> taken.addAll(each.ids()));
        return taken;
    }

    Match matchSize(int size) {
        return match(size, container -> true, Optional.empty());
    }

    Match matchCards(SortedMap<CardId, Integer> counts) {
        int size = counts.values().stream().mapToInt(Integer::intValue).sum();
        Match match = match(size, each -> each.counts(kind).equals(counts), Optional.of(counts));
        return match instanceof None && !sized(size).isEmpty() && !counts.isEmpty()
                ? new None("kubelet gives devices of " + counts.keySet() + " where "
                        + sized(size).getFirst().counts(kind).keySet() + " is reserved")
                : match;
    }

    private Match match(
            int size, Predicate<Expected> fits, Optional<SortedMap<CardId, Integer>> counts) {
        List<Expected> candidates = sized(size);
        for (Given first : open) {
            Optional<Expected> same =
                    candidates.stream().filter(first::isFor).filter(fits).findFirst();
            Optional<Expected> second = same.or(() -> otherFor(first, candidates, fits));
            if (second.isPresent()) {
                return found(second.get(), Optional.of(first));
            }
        }
        for (Given first : open) {
            if (candidates.stream().anyMatch(each -> couldHaveOpened(first, each))) {
                return new None("the container's " + first.kind().resource() + " is on "
                        + first.counts().keySet() + ", this call is for another card");
            }
        }
        Optional<Expected> oldest = candidates.stream().filter(fits).findFirst();
        return oldest.isPresent() ? found(oldest.get(), Optional.empty()) : unplanned(size, counts);
    }

    /** Expected containers that still lack this resource and ask for so much of it. */
    private List<Expected> sized(int size) {
        return before.expected().stream()
                .filter(each -> each.total(kind) == size && !has(each, kind))
                .toList();
    }

    private boolean has(Expected container, DeviceKind which) {
        return given.stream().anyMatch(each -> each.kind() == which && each.isFor(container));
    }

    private Found found(Expected container, Optional<Given> earlier) {
        return new Found(Optional.of(container), container.counts(kind), earlier);
    }

    /** The first call may have been for another container of the same size on the same card. */
    private Optional<Expected> otherFor(
            Given first, List<Expected> candidates, Predicate<Expected> fits) {
        return candidates.stream()
                .filter(fits)
                .filter(each -> !has(each, first.kind()))
                .filter(each -> each.counts(first.kind()).equals(first.counts()))
                .findFirst();
    }

    /** Then a card other than the first call's would split a container over two cards. */
    private boolean couldHaveOpened(Given first, Expected other) {
        return !first.isUnplanned()
                && (first.isFor(other) || !has(other, first.kind()))
                && other.total(first.kind()) == first.ids().size();
    }

    private Match unplanned(int size, Optional<SortedMap<CardId, Integer>> counts) {
        Optional<Given> first = open.stream().filter(Given::isUnplanned).findFirst();
        List<CardId> allowed = first.map(each -> List.copyOf(each.counts().keySet()))
                .filter(cards -> !context.unplannedCards().isEmpty())
                .orElse(context.unplannedCards());
        Optional<CardId> card = counts.isPresent()
                ? allowed.stream()
                        .filter(each -> counts.get().keySet().equals(Set.of(each)))
                        .findFirst()
                : allowed.stream().findFirst();
        if (card.isEmpty()) {
            return new None(
                    "no reservation on this node asks for " + size + " of " + kind.resource());
        }
        SortedMap<CardId, Integer> all = new TreeMap<>();
        all.put(card.get(), size);
        return new Found(Optional.empty(), all, first);
    }

    void give(Found found, List<String> ids) {
        Given grant = new Given(
                kind,
                ids,
                found.counts(),
                found.container().map(each -> each.pod().uid()).orElse(""),
                found.container().map(Expected::container).orElse(""),
                context.nowMillis());
        found.earlier().ifPresent(first -> settle(first, found.container()));
        given.add(grant);
        if (found.earlier().isEmpty() && lacksOther(found.container())) {
            opened.add(grant);
        }
    }

    private boolean lacksOther(Optional<Expected> container) {
        return container
                .map(each -> each.total(kind.counterpart()) > 0 && !has(each, kind.counterpart()))
                .orElse(true);
    }

    /** The other call has come: the first one was for the same container. */
    private void settle(Given first, Optional<Expected> container) {
        open.remove(first);
        container.ifPresent(each -> given.set(given.indexOf(first), first.guessedFor(each)));
    }

    Steering finish() {
        List<Given> stillOpen = opened.isEmpty() ? open : opened;
        return new Steering(before.names(), before.expected(), given, stillOpen);
    }
}
