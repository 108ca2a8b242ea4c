package dev.cede.sandbox.play;

import dev.cede.sandbox.picture.CardPicture;
import dev.cede.sandbox.picture.Ink;
import dev.cede.sandbox.picture.Ink.Tone;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** Lines of a time, a word and a text, no wider than the picture; longer texts are wrapped. */
public final class Console {
    private static final int INDENT = 17;

    private final Ink ink;
    private final Consumer<String> out;
    private final CardPicture picture;
    private List<String> lastPicture = List.of();

    public Console(Ink ink, Consumer<String> out) {
        this.ink = ink;
        this.out = out;
        this.picture = new CardPicture(ink);
    }

    /** Something that happened. */
    void say(Duration at, String text) {
        print(at, "", Tone.FAINT, text);
    }

    /** Something that we do. */
    void doing(Duration at, String text) {
        out.accept("");
        print(at, "DO", Tone.STRONG, text);
    }

    void good(Duration at, String text) {
        print(at, "OK", Tone.GOOD, text);
    }

    void bad(Duration at, String text) {
        print(at, "FAILED", Tone.BAD, text);
    }

    /** Plain lines without a time. */
    public void plain(String text) {
        out.accept(text);
    }

    /** Draws the cards if they look another way than last time. */
    void draw(World world) {
        List<String> lines = picture.draw(world.cards());
        if (!lines.equals(lastPicture)) {
            lastPicture = lines;
            lines.forEach(out);
        }
    }

    private void print(Duration at, String word, Tone tone, String text) {
        String prefix = String.format(Locale.ROOT, "%7.2fs  %-6s ", at.toMillis() / 1000.0, word);
        List<String> lines = wrap(text, CardPicture.WIDTH - INDENT);
        for (int i = 0; i < lines.size(); i++) {
            String start = i == 0 ? prefix : " ".repeat(INDENT);
            out.accept(ink.paint(tone, start + lines.get(i)));
        }
    }

    static List<String> wrap(String text, int width) {
        List<String> lines = new ArrayList<>();
        String left = text;
        while (left.length() > width) {
            int cut = left.lastIndexOf(' ', width);
            int end = cut > 0 ? cut : width;
            lines.add(left.substring(0, end));
            left = left.substring(end).stripLeading();
        }
        lines.add(left);
        return lines;
    }

    static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1000.0);
    }
}
