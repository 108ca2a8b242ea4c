package dev.cede.coordinator.simulation;

import dev.cede.agent.core.DriverEntry;
import dev.cede.agent.core.DriverReading;
import dev.cede.agent.core.LiveProcess;
import dev.cede.model.Card;
import dev.cede.model.CardHealth;
import dev.cede.model.CardId;
import dev.cede.model.Units;
import dev.cede.testbed.kubelet.core.ContainerLaunch;
import dev.cede.testbed.kubelet.core.Survivor;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/** A node's cards and the processes on them, whoever started them; it outlives kubelet and agent. */
final class Driver {
    /** How a process ends. */
    enum Manner {
        OBEYS,
        /** Only when it is killed. */
        SLOW,
        /** Some time after it is killed. */
        CLINGS
    }

    /** A container's process. */
    static final class Proc {
        private final int pid;
        private final String podUid;
        private final String container;
        private final String containerId;
        private final Instant started;
        private final SortedMap<CardId, Long> bytes = new TreeMap<>();
        private final Manner manner;
        private boolean alive = true;
        private boolean listed;

        private Proc(int pid, ContainerLaunch launch, Instant started, Plan plan) {
            this.pid = pid;
            this.podUid = launch.pod().uid();
            this.container = launch.spec().name();
            this.containerId = launch.containerId();
            this.started = started;
            plan.units().forEach((card, units) -> bytes.put(card, units * Units.BYTES));
            this.manner = plan.manner();
        }

        private long bytesOn(CardId card) {
            return bytes.getOrDefault(card, 0L);
        }

        String podUid() {
            return podUid;
        }

        String container() {
            return container;
        }

        String containerId() {
            return containerId;
        }
    }

    /** What a container will do: how much of which cards it uses, how it ends. */
    record Plan(SortedMap<CardId, Integer> units, Manner manner, long endsAfter) {}

    private final World world;
    private final Draws draws;
    private final List<Card> cards = new ArrayList<>();
    private final List<Proc> processes = new ArrayList<>();
    private final BiConsumer<Proc, Integer> onExit;
    private int lastPid = 100;

    Driver(World world, Draws draws, List<Integer> cardUnits, BiConsumer<Proc, Integer> onExit) {
        this.world = world;
        this.draws = draws;
        this.onExit = onExit;
        for (int index = 0; index < cardUnits.size(); index++) {
            cards.add(card(index, cardUnits.get(index)));
        }
    }

    private static Card card(int index, int units) {
        String digits = String.valueOf((char) ('a' + index)).repeat(8);
        return new Card(
                new CardId("GPU-" + digits + "-0000-0000-0000-000000000000"),
                index,
                index,
                "model",
                units * Units.BYTES,
                0,
                CardHealth.HEALTHY,
                "",
                0);
    }

    List<Card> cards() {
        return cards;
    }

    Card card(CardId id) {
        return cards.stream().filter(card -> card.id().equals(id)).findFirst().orElseThrow();
    }

    /** The card that a device ID names. */
    CardId cardOf(String deviceId) {
        String prefix = "GPU-" + deviceId.substring(0, deviceId.indexOf('-'));
        return cards.stream()
                .map(Card::id)
                .filter(id -> id.uuid().startsWith(prefix))
                .findFirst()
                .orElseThrow();
    }

    void start(ContainerLaunch launch, Plan plan) {
        Proc process = new Proc(++lastPid, launch, world.time.instant(), plan);
        processes.add(process);
        world.time.after(draws.between(0, 600), () -> attach(process));
        if (plan.endsAfter() > 0) {
            world.time.after(plan.endsAfter(), () -> exit(process, 0));
        }
    }

    private void attach(Proc process) {
        if (process.alive) {
            process.listed = true;
            process.bytes.keySet().forEach(card -> meetsFreeMemory(process, card));
        }
    }

    private void meetsFreeMemory(Proc process, CardId card) {
        Violation.unless(
                usedBytes(card) <= card(card).totalBytes(),
                "memory in use",
                () -> "a process of pod " + process.podUid + " meets used memory on " + card + ": "
                        + listed(card));
    }

    /** A pod whose containers are started again may meet what it left itself: not twice its share. */
    private long usedBytes(CardId card) {
        return processes.stream()
                .filter(each -> each.listed && (each.alive || !livesOn(each.podUid)))
                .mapToLong(each -> each.bytesOn(card))
                .sum();
    }

    private boolean livesOn(String podUid) {
        return processes.stream()
                .anyMatch(each -> each.listed && each.alive && each.podUid.equals(podUid));
    }

    private List<String> listed(CardId card) {
        return processes.stream()
                .filter(each -> each.listed && each.bytesOn(card) > 0)
                .map(each -> each.podUid + (each.alive ? "" : " gone") + " "
                        + each.bytesOn(card) / Units.BYTES + "u")
                .toList();
    }

    /** Units of the card that the driver lists for a pod, or that live processes will take. */
    int usedUnits(CardId card, String podUid) {
        long bytes = processes.stream()
                .filter(each -> each.podUid.equals(podUid))
                .filter(each -> each.listed || each.alive)
                .mapToLong(each -> each.bytesOn(card))
                .sum();
        return Math.toIntExact(bytes / Units.BYTES);
    }

    /** Pods with a live process or an entry in the driver's list of the card. */
    SortedSet<String> podsOn(CardId card) {
        SortedSet<String> pods = new TreeSet<>();
        processes.stream()
                .filter(each -> each.bytesOn(card) > 0 && (each.listed || each.alive))
                .forEach(each -> pods.add(each.podUid));
        return pods;
    }

    void signal(String podUid, String container, boolean kill) {
        for (Proc process : List.copyOf(processes)) {
            if (process.podUid.equals(podUid)
                    && process.container.equals(container)
                    && process.alive) {
                signal(process, kill);
            }
        }
    }

    private void signal(Proc process, boolean kill) {
        switch (process.manner) {
            case OBEYS -> world.time.after(draws.skewed(5, 900), () -> exit(process, 143));
            case SLOW -> {
                if (kill) {
                    world.time.after(draws.between(5, 60), () -> exit(process, 137));
                }
            }
            case CLINGS -> {
                if (kill) {
                    world.time.after(draws.between(500, 9_000), () -> exit(process, 137));
                }
            }
        }
    }

    private void exit(Proc process, int code) {
        if (!process.alive) {
            return;
        }
        process.alive = false;
        long lingers = draws.chance(0.15) ? draws.between(500, 8_000) : draws.between(0, 250);
        world.time.after(process.listed ? lingers : 0, () -> {
            process.listed = false;
            processes.remove(process);
        });
        world.time.after(draws.between(5, 60), () -> onExit.accept(process, code));
    }

    List<Survivor> survivors() {
        return processes.stream()
                .filter(each -> each.alive)
                .map(each -> new Survivor(
                        each.podUid, each.container, each.containerId, each.started, 0))
                .toList();
    }

    DriverReading read(long ticket, SortedSet<String> pods) {
        List<DriverEntry> entries = new ArrayList<>();
        TreeMap<String, List<LiveProcess>> live = new TreeMap<>();
        for (Proc process : processes) {
            Optional<LiveProcess> found = Optional.of(process)
                    .filter(each -> each.alive)
                    .map(each -> new LiveProcess(
                            each.pid,
                            Timeline.millis(each.started),
                            "hog",
                            Optional.of(each.podUid)));
            if (process.listed) {
                process.bytes.forEach((card, bytes) ->
                        entries.add(new DriverEntry(card, process.pid, bytes, found)));
            }
            found.filter(each -> pods.contains(process.podUid))
                    .ifPresent(
                            each -> live.computeIfAbsent(process.podUid, uid -> new ArrayList<>())
                                    .add(each));
        }
        return new DriverReading(ticket, cards, new TreeSet<>(), entries, live);
    }
}
