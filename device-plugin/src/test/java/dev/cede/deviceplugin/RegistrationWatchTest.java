package dev.cede.deviceplugin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.cede.deviceplugin.RegistrationWatch.Action;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The triggers of a new registration (B26). */
class RegistrationWatchTest {
    private static final Optional<String> KUBELET = Optional.of("inode 1");

    private static RegistrationWatch listening(long now) {
        return RegistrationWatch.fresh().registered("inode 1", now).opened();
    }

    @Test
    void withoutKubeletNothingIsDone() {
        assertEquals(Action.NOTHING, RegistrationWatch.fresh().decide(Optional.empty(), false, 0));
    }

    @Test
    void aFirstKubeletIsRegisteredWith() {
        assertEquals(Action.REGISTER, RegistrationWatch.fresh().decide(KUBELET, false, 0));
    }

    @Test
    void whileKubeletListensNothingIsDone() {
        assertEquals(Action.NOTHING, listening(0).decide(KUBELET, true, 1_000_000));
    }

    @Test
    void aNewKubeletSocketIsRegisteredWithAtOnce() {
        assertEquals(Action.REGISTER, listening(0).decide(Optional.of("inode 2"), true, 1));
    }

    @Test
    void ourOwnVanishedSocketIsMadeAgain() {
        assertEquals(Action.REGISTER, listening(0).decide(KUBELET, false, 1_000));
    }

    @Test
    void aClosedStreamIsRegisteredAgain() {
        assertEquals(Action.REGISTER, listening(0).closed().decide(KUBELET, true, 1_000));
    }

    @Test
    void aMissingStreamIsWaitedForTenSeconds() {
        RegistrationWatch silent = RegistrationWatch.fresh().registered("inode 1", 0);
        assertEquals(Action.NOTHING, silent.decide(KUBELET, true, 9_999));
        assertEquals(Action.REGISTER, silent.decide(KUBELET, true, 10_000));
    }

    @Test
    void aRefusedRegistrationIsRepeatedWithGrowingPauses() {
        RegistrationWatch once = RegistrationWatch.fresh().refused("inode 1", 0);
        assertEquals(Action.NOTHING, once.decide(KUBELET, true, 199));
        assertEquals(Action.REGISTER, once.decide(KUBELET, true, 200));
        RegistrationWatch twice = once.refused("inode 1", 200);
        assertEquals(Action.NOTHING, twice.decide(KUBELET, true, 599));
        assertEquals(Action.REGISTER, twice.decide(KUBELET, true, 600));
    }

    @Test
    void thePauseEndsGrowingAtFiveSeconds() {
        RegistrationWatch often = RegistrationWatch.fresh();
        for (int i = 0; i < 20; i++) {
            often = often.refused("inode 1", 0);
        }
        assertEquals(Action.NOTHING, often.decide(KUBELET, true, 4_999));
        assertEquals(Action.REGISTER, often.decide(KUBELET, true, 5_000));
    }
}
