package dev.cede.coordinator.planner;

import dev.cede.model.CardId;
import dev.cede.model.IsolationType;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeSet;

/** Who has to go for one pod on given cards of one node, within a reach. */
final class Fit {
    private final NodeState node;
    private final Member member;
    private final Scope scope;
    private final SortedMap<CardId, Demand> demands;
    private final List<Resident> free = new ArrayList<>();
    private final List<Resident> evictable = new ArrayList<>();

    /**
     * How far to go.
     *
     * @param floor highest priority that the plan evicts already, else the lowest there is
     */
    record Scope(Reach reach, int floor, PlannerSettings settings) {}

    private Fit(NodeState node, Member member, Scope scope, SortedMap<CardId, Demand> demands) {
        this.node = node;
        this.member = member;
        this.scope = scope;
        this.demands = demands;
        for (Resident resident : onCards()) {
            if (countsAsGone(resident)) {
                free.add(resident);
            } else if (mayBeEvicted(resident)) {
                evictable.add(resident);
            }
        }
    }

    /**
     * The cheapest way onto these cards.
     *
     * @param cards of the first parts of the ask, or of all
     */
    static Optional<Option> of(NodeState node, Member member, List<CardId> cards, Scope scope) {
        return Demand.of(member.parts(), cards)
                .flatMap(demands -> new Fit(node, member, scope, demands).solve(cards));
    }

    private List<Resident> onCards() {
        TreeSet<Resident> residents = new TreeSet<>(Resident.BY_NAME);
        demands.keySet().forEach(card -> residents.addAll(node.card(card).residents()));
        return List.copyOf(residents);
    }

    /** Leaving shares cost nothing; only a plan without victims minds how long they take (C5). */
    private boolean countsAsGone(Resident resident) {
        return switch (resident.standing()) {
            case MAY_GO, STAYS -> false;
            case LEAVING ->
                switch (scope.reach) {
                    case FREE -> false;
                    case SOON ->
                        resident.remaining().compareTo(scope.settings.waitForRelease()) <= 0;
                    case EVICT, LATE -> true;
                };
        };
    }

    private boolean mayBeEvicted(Resident resident) {
        return scope.reach == Reach.EVICT
                && resident.standing() == Resident.Standing.MAY_GO
                && resident.priority() < member.pod().priority()
                && (scope.settings.topologyAware() || isSameCardAndType(resident));
    }

    /** The narrow dimension (D1). */
    private boolean isSameCardAndType(Resident resident) {
        if (demands.size() != 1) {
            return false;
        }
        CardId card = demands.firstKey();
        return resident.isOnlyOn(card)
                && !resident.clashes(card, demands.get(card).type());
    }

    private Optional<Option> solve(List<CardId> cards) {
        List<Resident> forced = new ArrayList<>();
        for (Map.Entry<CardId, Demand> each : demands.entrySet()) {
            CardState card = node.card(each.getKey());
            IsolationType type = each.getValue().type();
            if (card.closed().isPresent() || card.settledClashes(type)) {
                return Optional.empty();
            }
            card.residents().stream()
                    .filter(resident -> resident.clashes(card.id(), type))
                    .forEach(forced::add);
        }
        if (!forced.stream().allMatch(each -> free.contains(each) || evictable.contains(each))) {
            return Optional.empty();
        }
        return cover(cards, forced.stream().distinct().toList());
    }

    /** A card of another type is taken whole (D3); what else is missing, others make up for. */
    private Optional<Option> cover(List<CardId> cards, List<Resident> forced) {
        // The first parts alone are judged by cards: the rest may bring victims with CPU.
        boolean whole = cards.size() == member.parts().size();
        Ordinary asked = whole ? member.ordinary() : Ordinary.NONE;
        Need afterForced = without(Need.of(node, demands, asked), forced);
        List<Resident> optionalFree = minus(free, forced);
        List<Resident> forcedVictims = minus(forced, free);
        int floor =
                forcedVictims.stream().mapToInt(Resident::priority).reduce(scope.floor, Math::max);
        Optional<Cover.Found> found =
                Cover.cheapest(without(afterForced, optionalFree), minus(evictable, forced), floor);
        return found.map(cover -> {
            List<Resident> victims = new ArrayList<>(forcedVictims);
            victims.addAll(cover.victims());
            List<Resident> awaited = new ArrayList<>(minus(forced, forcedVictims));
            awaited.addAll(needed(optionalFree, without(afterForced, cover.victims())));
            return new Option(node, cards, demands, victims, awaited, cover.exact());
        });
    }

    /** Without those that leave but whose room is not needed; the slowest are spared first. */
    private static List<Resident> needed(List<Resident> leaving, Need need) {
        List<Resident> slowestFirst = new ArrayList<>(leaving);
        slowestFirst.sort(Comparator.comparing(Resident::remaining)
                .reversed()
                .thenComparing(Resident.BY_NAME));
        List<Resident> kept = new ArrayList<>(leaving);
        for (Resident resident : slowestFirst) {
            List<Resident> fewer = minus(kept, List.of(resident));
            if (without(need, fewer).isMet()) {
                kept = fewer;
            }
        }
        return kept;
    }

    private static Need without(Need need, List<Resident> gone) {
        Need left = need;
        for (Resident resident : gone) {
            left = left.without(resident);
        }
        return left;
    }

    private static List<Resident> minus(List<Resident> all, List<Resident> some) {
        return all.stream().filter(each -> !some.contains(each)).toList();
    }
}
