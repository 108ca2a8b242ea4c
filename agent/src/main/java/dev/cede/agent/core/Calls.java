package dev.cede.agent.core;

import dev.cede.agent.core.KubeletView.WaitingStart;
import dev.cede.deviceplugin.CallContext;
import dev.cede.deviceplugin.Choice;
import dev.cede.deviceplugin.DeviceKind;
import dev.cede.deviceplugin.Given;
import dev.cede.ledger.CardBooks;
import dev.cede.model.Amount;
import dev.cede.model.BookedShare;
import dev.cede.model.Card;
import dev.cede.model.CardId;
import dev.cede.model.Share;
import dev.cede.model.Units;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Kubelet's calls. */
final class Calls {
    /** Kubelet's checkpoint names a container long before; a start that waits longer is tried anew. */
    private static final long START_WAIT_MILLIS = 5_000;

    private Calls() {}

    static void answer(Turn turn, NodeEvent.Call call) {
        switch (call) {
            case NodeEvent.Prefer prefer -> prefer(turn, prefer);
            case NodeEvent.Allocate allocate -> allocate(turn, allocate);
            case NodeEvent.PreStart start -> start(turn, start);
        }
    }

    private static void prefer(Turn turn, NodeEvent.Prefer prefer) {
        int size =
                prefer.offers().stream().mapToInt(offer -> offer.size()).max().orElse(0);
        Choice choice = turn.books
                .steering()
                .prefer(prefer.kind(), prefer.offers(), context(turn, prefer.kind(), size));
        switch (choice) {
            case Choice.Chosen chosen ->
                turn.emit(new NodeEffect.AnswerPreferred(prefer.call(), chosen.ids()));
            case Choice.Refused refused ->
                refuse(turn, prefer.call(), prefer.kind(), refused.reason());
        }
    }

    private static void allocate(Turn turn, NodeEvent.Allocate allocate) {
        int size = allocate.requests().stream().mapToInt(List::size).max().orElse(0);
        Choice choice = turn.books
                .steering()
                .allocate(
                        allocate.kind(), allocate.requests(), context(turn, allocate.kind(), size));
        switch (choice) {
            case Choice.Chosen chosen -> grant(turn, allocate, chosen);
            case Choice.Refused refused ->
                refuse(turn, allocate.call(), allocate.kind(), refused.reason());
        }
    }

    /** The pod has failed for good with this answer, so the coordinator should know. */
    private static void refuse(Turn turn, long call, DeviceKind kind, String reason) {
        turn.books = turn.books.withSteering(turn.books.steering().broken());
        turn.emit(new NodeEffect.RefuseCall(call, reason));
        turn.emit(new NodeEffect.SendRefused(reason));
        turn.drift("allocation_refused", kind.resource() + ": " + reason);
    }

    private static CallContext context(Turn turn, DeviceKind kind, int size) {
        List<CardId> unplanned =
                turn.settings().placeUnplanned() ? roomy(turn.books, kind, size) : List.of();
        return new CallContext(turn.books.heldIds(kind), unplanned, turn.now);
    }

    /** Cards with room for a container nobody planned, the fullest first. */
    private static List<CardId> roomy(Books books, DeviceKind kind, int size) {
        return books.ledger().cardsByIndex().stream()
                .filter(Card::takesNew)
                .map(card -> books.ledger().books(card.id()))
                .filter(card -> room(books, card, kind) >= size)
                .sorted(Comparator.comparingInt(card -> room(books, card, kind)))
                .map(card -> card.card().id())
                .toList();
    }

    private static int room(Books books, CardBooks card, DeviceKind kind) {
        int free = kind == DeviceKind.MEMORY ? card.freeUnits() : card.freeCore();
        int given = books.steering().given().stream()
                .filter(each -> each.kind() == kind && each.isUnplanned())
                .mapToInt(each -> each.counts().getOrDefault(card.card().id(), 0))
                .sum();
        return free - given;
    }

    private static void grant(Turn turn, NodeEvent.Allocate allocate, Choice.Chosen chosen) {
        List<NodeEffect.Granted> grants = new ArrayList<>();
        for (List<String> ids : chosen.ids()) {
            Given given = chosen.next().given().stream()
                    .filter(each -> each.ids().equals(ids.stream().sorted().toList()))
                    .findFirst()
                    .orElseThrow();
            grants.add(granted(turn, given));
        }
        turn.books = turn.books.withSteering(chosen.next());
        turn.emit(new NodeEffect.AnswerAllocated(allocate.call(), grants));
        turn.readKubelet();
    }

    private static NodeEffect.Granted granted(Turn turn, Given given) {
        List<CardId> cards = List.copyOf(given.counts().keySet());
        int size = given.counts().values().iterator().next();
        String limits = given.kind() == DeviceKind.MEMORY ? given.ids().getFirst() : "";
        if (!limits.isEmpty()) {
            turn.emit(new NodeEffect.MakeLimits(limits));
        }
        turn.log(
                "granted",
                "resource=%s cards=%s size=%d taken_for=%s"
                        .formatted(
                                given.kind().resource(),
                                cards,
                                size,
                                given.isUnplanned()
                                        ? "nobody"
                                        : given.podUid() + "/" + given.container()));
        return new NodeEffect.Granted(given.kind(), cards, size, limits);
    }

    private static void start(Turn turn, NodeEvent.PreStart start) {
        WaitingStart waiting = new WaitingStart(
                start.call(), start.kind(), start.ids(), turn.now + START_WAIT_MILLIS);
        if (!started(turn, waiting)) {
            turn.kubelet = turn.kubelet.waiting(waiting);
            turn.readKubelet();
        }
    }

    static void retryStarts(Turn turn) {
        List<WaitingStart> left = turn.kubelet.starts().stream()
                .filter(waiting -> !started(turn, waiting))
                .toList();
        turn.kubelet = turn.kubelet.withStarts(left);
    }

    static void expireStarts(Turn turn) {
        List<WaitingStart> left = new ArrayList<>();
        for (WaitingStart waiting : turn.kubelet.starts()) {
            if (turn.now < waiting.until()) {
                left.add(waiting);
            } else {
                refuseStart(
                        turn,
                        waiting,
                        "kubelet's checkpoint names no container for these" + " devices of "
                                + waiting.kind().resource());
            }
        }
        turn.kubelet = turn.kubelet.withStarts(left);
    }

    private static void refuseStart(Turn turn, WaitingStart waiting, String reason) {
        turn.emit(new NodeEffect.RefuseCall(waiting.call(), reason));
        turn.log("start_refused", "reason=\"%s\"".formatted(reason));
    }

    /** Whether the call is answered, one way or the other. */
    private static boolean started(Turn turn, WaitingStart waiting) {
        Optional<Held> held = turn.books.holder(waiting.kind(), waiting.ids());
        if (held.isEmpty()) {
            return false;
        }
        Held container = held.get();
        Optional<String> obstacle = obstacle(turn.books, container);
        if (obstacle.isPresent()) {
            refuseStart(turn, waiting, obstacle.get());
            return true;
        }
        if (!container.limitName().isEmpty()) {
            turn.emit(new NodeEffect.WriteLimits(
                    container.limitName(), limits(turn.books, container)));
        }
        turn.emit(new NodeEffect.AnswerStarted(waiting.call(), container.limitName()));
        turn.log(
                "starting",
                "pod=%s container=%s"
                        .formatted(container.pod().namespacedName(), container.container()));
        return true;
    }

    /** Kubelet may not have heard yet that the pod is gone. */
    private static Optional<String> obstacle(Books books, Held container) {
        if (books.over().contains(container.pod().uid())) {
            return Optional.of(
                    container.pod().namespacedName() + " is over, and its shares are being freed");
        }
        return Optional.of(container.problem()).filter(problem -> !problem.isEmpty());
    }

    private static NodeEffect.Limits limits(Books books, Held container) {
        List<Share> shares = books.ledger().sharesOf(container.pod().uid()).stream()
                .map(BookedShare::share)
                .filter(share -> share.container().equals(container.container()))
                .toList();
        Amount each = shares.stream().findFirst().map(Share::amount).orElse(Amount.NONE);
        return new NodeEffect.Limits(
                Units.toMib(each.units()),
                each.core(),
                container.container(),
                shares.stream().map(Share::card).toList());
    }
}
