package dev.cede.coordinator.simulation;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** One kind as a coordinator's cache learns of it: in order, late, and anew after a cut. */
final class Informer<T extends HasMetadata> {
    private static final long MOST_DELAY = 60;
    private static final long SLOWEST = 3_000;

    /** How far behind the list of another API server may be. */
    private static final long OLDEST_LIST = 2_000;

    private final Api.History<T> history;
    private final ResourceEventHandler<T> handler;
    private final Timeline time;
    private final Faults faults;
    private final Draws draws;
    private final Map<String, T> items = new TreeMap<>();

    /** Runs what the process is to do; drops it when the process is dead. */
    private final SimulatedProcess process;

    private int scheduled;
    private long last;
    private int era;
    private boolean connected;

    Informer(
            Api.History<T> history,
            ResourceEventHandler<T> handler,
            SimulatedProcess process,
            Timeline time,
            Faults faults,
            Draws draws) {
        this.history = history;
        this.handler = handler;
        this.process = process;
        this.time = time;
        this.faults = faults;
        this.draws = draws;
        history.listen(this::news);
    }

    /** Lists what is there and watches from then on. */
    void start() {
        int mine = ++era;
        connected = false;
        process.after(draws.between(5, 200), () -> list(mine));
    }

    void cut() {
        era++;
        connected = false;
        int mine = ++era;
        process.after(draws.between(50, 2_000), () -> list(mine));
    }

    private void list(int mine) {
        if (mine != era) {
            return;
        }
        int index = listedAt();
        Map<String, T> listed = Api.stateAt(history, index, Informer::key);
        listed.forEach(this::seen);
        for (String key : List.copyOf(items.keySet())) {
            if (!listed.containsKey(key)) {
                handler.onDelete(items.remove(key), true);
            }
        }
        handler.onList("", listed.isEmpty());
        connected = true;
        scheduled = index;
        last = time.now();
        news();
    }

    /** A list may come out of a cache that is behind. */
    private int listedAt() {
        int index = history.changes.size();
        if (!items.isEmpty() && draws.chance(faults.rates().slow())) {
            long from = time.now() - draws.between(0, OLDEST_LIST);
            while (index > 0 && history.changes.get(index - 1).at() > from) {
                index--;
            }
        }
        return index;
    }

    private void seen(String key, T object) {
        T before = items.put(key, object);
        if (before == null) {
            handler.onAdd(object);
        } else if (!version(before).equals(version(object))) {
            handler.onUpdate(before, object);
        }
    }

    private static String version(HasMetadata object) {
        return object.getMetadata().getResourceVersion();
    }

    static String key(HasMetadata object) {
        return object.getMetadata().getNamespace() + "/" + object.getMetadata().getName();
    }

    private void news() {
        if (!connected || !process.isAlive()) {
            return;
        }
        int mine = era;
        while (scheduled < history.changes.size()) {
            Api.Change<T> change = history.changes.get(scheduled++);
            last = Math.max(last, time.now() + faults.delay(draws, MOST_DELAY, SLOWEST));
            process.after(last - time.now(), () -> deliver(mine, change));
        }
    }

    private void deliver(int mine, Api.Change<T> change) {
        if (mine != era) {
            return;
        }
        if (change.deleted()) {
            items.remove(key(change.object()));
            handler.onDelete(change.object(), false);
        } else {
            seen(key(change.object()), change.object());
        }
    }
}
