package dev.cede.agent.host;

import dev.cede.agent.core.DriverEntry;
import dev.cede.agent.core.DriverReading;
import dev.cede.model.Card;
import dev.cede.model.CardHealth;
import dev.cede.model.CardId;
import dev.cede.nvml.CardInventory;
import dev.cede.nvml.ExcludedCard;
import dev.cede.nvml.GpuProcess;
import dev.cede.nvml.Inventory;
import dev.cede.nvml.NvmlCard;
import dev.cede.nvml.NvmlException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One look at driver and processes after the other; for one thread. */
public final class DriverReader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DriverReader.class);

    private final Supplier<CardInventory> open;
    private final ProcessTable processes;
    private final TreeMap<String, Card> known = new TreeMap<>();
    private final Set<String> said = new TreeSet<>();
    private Optional<CardInventory> inventory = Optional.empty();

    /**
     * Opens nothing yet.
     *
     * @param open opens the driver, again after each failure to
     */
    public DriverReader(Supplier<CardInventory> open, ProcessTable processes) {
        this.open = open;
        this.processes = processes;
    }

    /**
     * Throws {@link NvmlException} where the driver does not answer at all, and {@link IOException}
     * where the process table does not.
     */
    public DriverReading read(long ticket, SortedSet<String> pods) throws IOException {
        if (inventory.isEmpty()) {
            inventory = Optional.of(open.get());
        }
        Inventory seen = inventory.get().read();
        List<Card> cards = cards(seen);
        List<DriverEntry> entries = new ArrayList<>();
        SortedSet<CardId> unread = new TreeSet<>();
        for (Card card : cards) {
            if (!list(card.id(), entries)) {
                unread.add(card.id());
            }
        }
        return new DriverReading(ticket, cards, unread, entries, processes.inPods(pods));
    }

    private List<Card> cards(Inventory seen) {
        seen.notes().forEach(this::sayOnce);
        List<Card> cards = new ArrayList<>();
        for (NvmlCard card : seen.cards()) {
            cards.add(card(card));
        }
        for (ExcludedCard excluded : seen.excluded()) {
            sayOnce("card " + excluded.index() + " cannot be used: " + excluded.reason());
            excluded.uuid()
                    .map(known::get)
                    .map(card -> card.withHealth(CardHealth.UNHEALTHY, excluded.reason()))
                    .ifPresent(cards::add);
        }
        cards.forEach(card -> known.put(card.id().uuid(), card));
        return cards;
    }

    private static Card card(NvmlCard card) {
        return new Card(
                new CardId(card.uuid()),
                card.index(),
                card.minorNumber(),
                card.name(),
                card.totalBytes(),
                card.reservedBytes(),
                CardHealth.HEALTHY,
                "",
                0);
    }

    /** Whether the card's list could be read. */
    private boolean list(CardId card, List<DriverEntry> entries) {
        try {
            for (GpuProcess each : inventory.orElseThrow().processes(card.uuid())) {
                entries.add(new DriverEntry(
                        card, each.pid(), each.usedBytes().orElse(-1), processes.live(each.pid())));
            }
            return true;
        } catch (NvmlException e) {
            sayOnce("the processes of " + card + " cannot be read: " + e.getMessage());
            return false;
        }
    }

    private void sayOnce(String sentence) {
        if (said.add(sentence)) {
            LOG.warn("event=driver_note reason=\"{}\"", sentence);
        }
    }

    @Override
    public void close() {
        inventory.ifPresent(CardInventory::close);
        inventory = Optional.empty();
    }
}
