package dev.cede.coordinator.planner;

import dev.cede.coordinator.cluster.ContainerFacts;
import dev.cede.coordinator.cluster.PodFacts;
import dev.cede.coordinator.planner.ShareAsk.ContainerAsk;
import dev.cede.coordinator.planner.ShareAsk.Invalid;
import dev.cede.coordinator.planner.ShareAsk.Judged;
import dev.cede.coordinator.planner.ShareAsk.Valid;
import dev.cede.model.Amount;
import dev.cede.model.Resources;
import dev.cede.model.Units;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The rules A1 to A9, each with its own sentence (A12). */
final class AskRules {
    private static final int ALL_CORE = 100;
    private static final Pattern INTEGER = Pattern.compile("[+-]?[0-9]+");

    private final int coreStep;

    private AskRules(int coreStep) {
        this.coreStep = coreStep;
    }

    static Judged judge(PodFacts pod, int coreStep) {
        try {
            return new Valid(new AskRules(coreStep).ask(pod));
        } catch (Refused refused) {
            return new Invalid(refused.getMessage());
        }
    }

    /** Never leaves this class; the stack is of no use. */
    private static final class Refused extends Exception {
        private Refused(String sentence) {
            super(sentence, null, false, false);
        }
    }

    private ShareAsk ask(PodFacts pod) throws Refused {
        List<ContainerAsk> asks = new ArrayList<>();
        List<ContainerFacts> users = new ArrayList<>();
        for (ContainerFacts container : pod.containers()) {
            if (asksShare(container)) {
                requirePlainKind(container);
                users.add(container);
            }
        }
        int cards = users.isEmpty() ? 1 : cards(pod);
        for (ContainerFacts user : users) {
            asks.add(new ContainerAsk(user.name(), perCard(user, cards)));
        }
        ShareAsk ask = new ShareAsk(asks, cards);
        requireSameCards(ask);
        requireSupported(pod, ask);
        return ask;
    }

    /** An explicit core of 0 is the same as none (A5). */
    static boolean asksShare(ContainerFacts container) {
        return !container.memory().isEmpty()
                || !container.memoryRequest().isEmpty()
                || !isNone(container.core())
                || !isNone(container.coreRequest());
    }

    private static boolean isNone(String core) {
        return core.isEmpty() || core.equals("0");
    }

    private static void requirePlainKind(ContainerFacts container) throws Refused {
        if (container.kind() == ContainerFacts.Kind.INIT) {
            throw new Refused("init container " + container.name() + " asks for GPU shares ("
                    + asked(container)
                    + "); only app containers may, and init containers with restartPolicy Always");
        }
    }

    private static String asked(ContainerFacts container) {
        return container.memory().isEmpty() && container.memoryRequest().isEmpty()
                ? Resources.CORE + " " + either(container.core(), container.coreRequest())
                : Resources.MEMORY + " " + either(container.memory(), container.memoryRequest());
    }

    private static String either(String limit, String request) {
        return limit.isEmpty() ? request : limit;
    }

    /** Label gpu-num (A8). */
    private static int cards(PodFacts pod) throws Refused {
        String value = pod.labels().get(Resources.GPU_NUMBER);
        if (value == null) {
            return 1;
        }
        long number = INTEGER.matcher(value).matches() ? number(value) : 0;
        if (number < 1 || number > Units.MAX_PER_CARD) {
            throw new Refused("label " + Resources.GPU_NUMBER + " is \"" + value
                    + "\"; accepted is a whole number of cards, at least 1");
        }
        return (int) number;
    }

    private Amount perCard(ContainerFacts container, int cards) throws Refused {
        long core = core(container, cards);
        long memory = memory(container, core, cards);
        return new Amount((int) memory, (int) core);
    }

    private static long memory(ContainerFacts container, long core, int cards) throws Refused {
        String field = field(container, Resources.MEMORY);
        requireLimit(field, container.memory(), container.memoryRequest());
        boolean none = container.memory().isEmpty() || container.memory().equals("0");
        if (none && core > 0) {
            throw new Refused(field(container, Resources.CORE) + " is " + container.core()
                    + " without memory; accepted is core together with " + Resources.MEMORY
                    + " of at least 1");
        }
        long units = integer(field, container.memory());
        requireEqual(field, units, container.memoryRequest());
        requireEven(field, units, cards, cards);
        long perCard = units / cards;
        if (perCard < 1 || perCard > Units.MAX_PER_CARD) {
            throw new Refused(field + " is " + container.memory() + "; accepted is 1 to "
                    + Units.MAX_PER_CARD + " units a card");
        }
        return perCard;
    }

    private long core(ContainerFacts container, int cards) throws Refused {
        String field = field(container, Resources.CORE);
        if (isNone(container.core()) && isNone(container.coreRequest())) {
            return 0;
        }
        requireLimit(field, container.core(), container.coreRequest());
        long percent = integer(field, container.core());
        requireEqual(field, percent, container.coreRequest());
        requireEven(field, percent, cards, (long) cards * coreStep);
        requirePercent(field, percent, percent / cards);
        return percent / cards;
    }

    /** One card is a matter of the other rules (A9). */
    private static void requireEven(String field, long asked, int cards, long step) throws Refused {
        if (cards > 1 && asked % step != 0) {
            throw new Refused(field + " is " + asked + "; accepted with " + Resources.GPU_NUMBER
                    + " " + cards + " is a multiple of " + step);
        }
    }

    private void requirePercent(String field, long asked, long perCard) throws Refused {
        if (perCard < 0 || perCard > ALL_CORE) {
            throw new Refused(field + " is " + asked + "; accepted is " + coreStep + " to "
                    + ALL_CORE + " percent a card");
        }
        if (perCard % coreStep != 0) {
            throw new Refused(field + " is " + asked + "; accepted is a multiple of " + coreStep
                    + " percent a card");
        }
    }

    private static String field(ContainerFacts container, String resource) {
        return "container " + container.name() + ": " + resource;
    }

    private static void requireLimit(String field, String limit, String request) throws Refused {
        if (limit.isEmpty() && !request.isEmpty()) {
            throw new Refused(field + " has request " + request
                    + " and no limit; accepted is a limit, and a request equal to it or none");
        }
    }

    private static void requireEqual(String field, long limit, String request) throws Refused {
        if (!request.isEmpty() && integer(field, request) != limit) {
            throw new Refused(field + " has request " + request + " and limit " + limit
                    + "; accepted is a request equal to the limit, or none");
        }
    }

    private static long integer(String field, String value) throws Refused {
        if (!INTEGER.matcher(value).matches()) {
            throw new Refused(field + " is \"" + value
                    + "\"; accepted is a plain whole number, without fraction, exponent or suffix");
        }
        return number(value);
    }

    /** Beyond a long, any number that is out of range for every field does. */
    private static long number(String integer) {
        try {
            return Long.parseLong(integer);
        } catch (NumberFormatException tooLong) {
            return integer.startsWith("-") ? -Long.MAX_VALUE : Long.MAX_VALUE;
        }
    }

    /** All containers are on the same cards. */
    private static void requireSameCards(ShareAsk ask) throws Refused {
        if (ask.onOneCardEach()) {
            return;
        }
        String label = "label " + Resources.GPU_NUMBER + " is " + ask.cards();
        if (!ask.ofOneType()) {
            throw new Refused(label + " while some containers ask for core and some do not;"
                    + " accepted above 1 is core for all of them or for none");
        }
        int core = ask.amounts().stream().mapToInt(Amount::core).sum();
        if (core > ALL_CORE) {
            throw new Refused(label + ", and " + Resources.CORE + " of all containers adds up to "
                    + core + " percent on each card; accepted is " + ALL_CORE + " or less");
        }
    }

    /** What the spec may say, but is not honoured so far, is refused rather than half obeyed. */
    private static void requireSupported(PodFacts pod, ShareAsk ask) throws Refused {
        for (ContainerFacts container : pod.containers()) {
            if (!ask.isEmpty() && WholeCards.asked(container) > 0) {
                throw new Refused(field(container, Resources.WHOLE_CARD) + " is "
                        + container.wholeCards()
                        + " in a pod that asks for shares; accepted is one kind or the other");
            }
        }
        if (!pod.placement().unsupported().isEmpty()) {
            throw new Refused("the pod's spec has "
                    + String.join(", ", pod.placement().unsupported())
                    + "; that is not supported yet, accepted are nodeSelector and tolerations");
        }
    }
}
