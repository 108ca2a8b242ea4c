package dev.cede.sandbox.picture;

import dev.cede.sandbox.picture.CardView.HoldView;
import dev.cede.sandbox.picture.CardView.ShareView;
import dev.cede.sandbox.picture.CardView.State;
import dev.cede.sandbox.picture.Ink.Tone;

import java.util.ArrayList;
import java.util.List;

/**
 * Draws cards: a headline, a bar in which each share has its letter, and a line for each share.
 *
 * <pre>
 *   n0/c0  64 units, memory, 0 free
 *          |AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA|
 *          A 64 units        allocated  low-6f9d9-x2k4q/main
 * </pre>
 *
 * In the bar {@code .} is free, {@code +} held, {@code #} used by nobody's share.
 */
public final class CardPicture {
    /** The terminal that everything fits. */
    public static final int WIDTH = 80;

    private static final int BAR = 64;
    private static final String INDENT = " ".repeat(9);
    private static final String LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

    private final Ink ink;

    public CardPicture(Ink ink) {
        this.ink = ink;
    }

    /** The lines of all these cards. */
    public List<String> draw(List<CardView> cards) {
        List<String> lines = new ArrayList<>();
        for (CardView card : cards) {
            lines.add(headline(card));
            lines.add(INDENT + "|" + bar(card) + "|");
            for (int i = 0; i < card.shares().size(); i++) {
                lines.add(share(letter(i), card.shares().get(i)));
            }
            card.holds().forEach(hold -> lines.add(hold(hold)));
        }
        return lines;
    }

    private String headline(CardView card) {
        String name = cut(card.name(), WIDTH / 2);
        String facts = "%d units, %s, %d free".formatted(card.capacity(), card.kind(), card.free());
        String text = "  %-6s %s".formatted(name, facts);
        return ink.paint(Tone.STRONG, cut(text, WIDTH));
    }

    /** Every part has at least one cell; the free rest gives way. */
    private String bar(CardView card) {
        StringBuilder bar = new StringBuilder();
        int cells = 0;
        for (int i = 0; i < card.shares().size(); i++) {
            ShareView share = card.shares().get(i);
            int wide = Math.min(cells(card, share.units()), BAR - cells);
            cells += wide;
            bar.append(ink.paint(tone(share.state()), letter(i).repeat(wide)));
        }
        int held = Math.min(cells(card, card.held()), BAR - cells);
        cells += held;
        bar.append(ink.paint(Tone.PROMISED, "+".repeat(held)));
        int foreign = Math.min(cells(card, card.foreign()), BAR - cells);
        cells += foreign;
        bar.append(ink.paint(Tone.BAD, "#".repeat(foreign)));
        int rest = BAR - cells;
        return bar.append(ink.paint(Tone.FAINT, ".".repeat(rest))).toString();
    }

    private static int cells(CardView card, int units) {
        if (units <= 0 || card.capacity() <= 0) {
            return 0;
        }
        return (int) Math.max(1, Math.round((double) units * BAR / card.capacity()));
    }

    private static String letter(int index) {
        int at = index % LETTERS.length();
        return LETTERS.substring(at, at + 1);
    }

    private String share(String letter, ShareView share) {
        String size = share.units() + " units";
        String core = share.core() > 0 ? " " + share.core() + " %" : "";
        String who = share.pod() + "/" + share.container();
        return part(letter, size + core, word(share.state()), who, tone(share.state()));
    }

    private String hold(HoldView hold) {
        return part("+", hold.units() + " units", "held for", hold.pod(), Tone.PROMISED);
    }

    private String part(String mark, String size, String state, String who, Tone tone) {
        String line = INDENT + "%s %-16s %-9s  %s".formatted(mark, size, state, who);
        return ink.paint(tone, cut(line, WIDTH));
    }

    private static String word(State state) {
        return switch (state) {
            case RESERVED -> "reserved";
            case ALLOCATED -> "allocated";
            case RELEASING -> "leaving";
        };
    }

    private static Tone tone(State state) {
        return switch (state) {
            case RESERVED -> Tone.PROMISED;
            case ALLOCATED -> Tone.GOOD;
            case RELEASING -> Tone.LEAVING;
        };
    }

    private static String cut(String text, int width) {
        return text.length() <= width ? text : text.substring(0, width - 1) + "~";
    }
}
