package dev.cede.deviceplugin;

import dev.cede.deviceplugin.Choice.Chosen;
import dev.cede.deviceplugin.Choice.Refused;
import dev.cede.deviceplugin.DevicePick.Picked;
import dev.cede.model.CardId;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/**
 * Which expected container a call of kubelet is for. Kubelet names devices and never a pod, and
 * asks for a container's two resources in two calls, one right after the other, in either order.
 * Immutable.
 *
 * @param expected oldest reservation first, each in the order of its containers
 * @param given granted and not yet identified
 * @param open what the latest call granted and whose other resource is still to be asked for
 */
public record Steering(
        DeviceNames names, List<Expected> expected, List<Given> given, List<Given> open) {
    /** The other call of a container comes within milliseconds; later it is another container's. */
    static final long OPEN_MILLIS = 5_000;

    public Steering {
        expected = List.copyOf(expected);
        given = List.copyOf(given);
        open = List.copyOf(open);
    }

    public static Steering none() {
        return new Steering(DeviceNames.none(), List.of(), List.of(), List.of());
    }

    public Steering expecting(DeviceNames now, List<Expected> containers) {
        return new Steering(now, containers, given, open);
    }

    /** Forgets grants: they are identified, or their pod is over. */
    public Steering without(Set<Given> gone) {
        List<Given> left = given.stream().filter(each -> !gone.contains(each)).toList();
        return new Steering(
                names, expected, left, open.stream().filter(left::contains).toList());
    }

    /** After a refusal kubelet takes back what the same container got in its other call. */
    public Steering broken() {
        return without(new HashSet<>(open));
    }

    /** Which devices kubelet should take; changes nothing. */
    public Choice prefer(DeviceKind kind, List<Offer> offers, CallContext context) {
        Round round = new Round(this, kind, context);
        List<List<String>> answers = new ArrayList<>();
        for (Offer offer : offers) {
            Picked picked = preferOne(round, offer);
            if (picked.refusal().isPresent()) {
                return new Refused(picked.refusal().get());
            }
            answers.add(picked.ids());
        }
        return new Chosen(answers, this);
    }

    private static Picked preferOne(Round round, Offer offer) {
        return switch (round.matchSize(offer.size())) {
            case Match.None none -> Picked.refused(none.reason());
            case Match.Found found -> {
                Picked picked = new DevicePick(round, offer).from(found.counts());
                if (picked.refusal().isEmpty()) {
                    round.give(found, picked.ids());
                }
                yield picked;
            }
        };
    }

    /** Kubelet has chosen; it gets these devices only where a container expects them. */
    public Choice allocate(DeviceKind kind, List<List<String>> requests, CallContext context) {
        Round round = new Round(this, kind, context);
        for (List<String> ids : requests) {
            Optional<String> refusal = allocateOne(round, ids);
            if (refusal.isPresent()) {
                return new Refused(refusal.get());
            }
        }
        return new Chosen(requests, round.finish());
    }

    private static Optional<String> allocateOne(Round round, List<String> ids) {
        Optional<SortedMap<CardId, Integer>> counts = round.names().countByCard(round.kind(), ids);
        if (counts.isEmpty()) {
            return Optional.of("kubelet names devices that this node does not have");
        }
        Set<String> taken = round.taken();
        Optional<String> twice = ids.stream().filter(taken::contains).sorted().findFirst();
        if (twice.isPresent()) {
            return Optional.of("device " + twice.get() + " is held by another container");
        }
        if (new HashSet<>(ids).size() != ids.size()) {
            return Optional.of("kubelet names a device twice");
        }
        return switch (round.matchCards(counts.get())) {
            case Match.None none -> Optional.of(none.reason());
            case Match.Found found -> {
                round.give(found, ids);
                yield Optional.empty();
            }
        };
    }
}
