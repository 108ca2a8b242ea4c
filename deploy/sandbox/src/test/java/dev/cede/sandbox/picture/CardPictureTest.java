package dev.cede.sandbox.picture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.cede.sandbox.picture.CardView.HoldView;
import dev.cede.sandbox.picture.CardView.ShareView;
import dev.cede.sandbox.picture.CardView.State;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CardPictureTest {
    private static ShareView share(String pod, int units, int core, State state) {
        return new ShareView(pod, "main", units, core, state);
    }

    private static String draw(CardView card) {
        return String.join("\n", new CardPicture(Ink.PLAIN).draw(List.of(card))) + "\n";
    }

    @Test
    void aCardShowsWhoHasHowMuchOfItAndWhatIsFree() {
        CardView card = new CardView(
                "n0",
                0,
                128,
                48,
                8,
                0,
                "memory and core",
                List.of(
                        share("big", 32, 50, State.ALLOCATED),
                        share("next", 16, 20, State.RESERVED),
                        share("old", 24, 5, State.RELEASING)),
                List.of());
        assertEquals("""
                  n0/c0  128 units, memory and core, 48 free
                         |AAAAAAAAAAAAAAAABBBBBBBBCCCCCCCCCCCC####........................|
                         A 32 units 50 %    allocated  big/main
                         B 16 units 20 %    reserved   next/main
                         C 24 units 5 %     leaving    old/main
                """, draw(card));
    }

    @Test
    void aHoldIsNamedAndOnlyItsUncoveredPartTakesRoom() {
        CardView card = new CardView(
                "n0",
                1,
                64,
                0,
                0,
                32,
                "memory",
                List.of(share("low", 32, 0, State.ALLOCATED)),
                List.of(new HoldView("high", 64)));
        assertEquals("""
                  n0/c1  64 units, memory, 0 free
                         |AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA++++++++++++++++++++++++++++++++|
                         A 32 units         allocated  low/main
                         + 64 units         held for   high
                """, draw(card));
    }

    @Test
    void nothingIsWiderThanATerminal() {
        List<ShareView> many = IntStream.range(0, 30)
                .mapToObj(i -> share(
                        "pod-with-a-name-of-quite-some-length-" + i + "-abcdefgh-ijklm",
                        16384,
                        100,
                        State.ALLOCATED))
                .toList();
        CardView card = new CardView(
                "node-with-a-name-as-long-as-real-ones-have-them.example",
                15,
                16384,
                0,
                77,
                88,
                "memory and core",
                many,
                List.of(new HoldView("x".repeat(200), 16384)));
        List<String> lines = new CardPicture(Ink.PLAIN).draw(List.of(card));
        assertTrue(lines.stream().allMatch(line -> line.length() <= 80), () -> lines.toString());
    }

    @Test
    void aSmallShareIsSeenAllTheSame() {
        CardView card = new CardView(
                "n0",
                0,
                1024,
                1023,
                0,
                0,
                "memory",
                List.of(share("tiny", 1, 0, State.ALLOCATED)),
                List.of());
        assertTrue(draw(card).contains("|A..."));
    }

    @Test
    void plainInkHasNoColourAndColouredInkOnlyAddsIt() {
        CardView card = new CardView(
                "n0",
                0,
                64,
                0,
                0,
                0,
                "memory",
                List.of(share("low", 64, 0, State.RELEASING)),
                List.of());
        String coloured = String.join("\n", new CardPicture(Ink.COLOUR).draw(List.of(card)));
        assertFalse(draw(card).contains("\u001b"));
        assertTrue(coloured.contains("\u001b["));
        assertEquals(draw(card), coloured.replaceAll("\u001b\\[[0-9]*m", "") + "\n");
    }
}
