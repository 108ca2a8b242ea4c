package dev.cede.nvml;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;

import dev.cede.nvml.NvmlLibrary.NvmlCall;

import java.util.Optional;

/**
 * Reads how much memory a card has. The second form of the call tells what the driver reserves; the
 * first one, all that an old driver has, counts that as used.
 */
final class MemoryCall {
    /** nvmlMemory_v2_t: version, total, reserved, free, used. */
    private static final int V2_BYTES = 40;

    private static final int V2_VERSION = V2_BYTES | 2 << 24;

    /** nvmlMemory_t: total, free, used. */
    private static final int V1_BYTES = 24;

    private final Optional<NvmlCall> second;
    private final NvmlCall first;
    private final Memory secondInfo = new Memory(V2_BYTES);
    private final Memory firstInfo = new Memory(V1_BYTES);
    private boolean secondRefused;

    MemoryCall(NvmlLibrary library) {
        this.second = library.optionalCall("nvmlDeviceGetMemoryInfo_v2");
        this.first = library.call("nvmlDeviceGetMemoryInfo");
    }

    /** Bytes; each may be all ones (negative), where the driver has no figure. */
    record Figures(String call, long total, long reserved, long used) {

        /** Whether they are sizes of a card at all. */
        boolean plausible() {
            return total > 0 && reserved >= 0 && used >= 0 && reserved <= total;
        }
    }

    Figures read(Pointer card) {
        if (second.isPresent() && !secondRefused) {
            int code = askSecond(second.get(), card);
            if (NvmlReturn.SUCCESS.is(code)) {
                return secondFigures(second.get());
            }
            if (!unknownForm(code)) {
                throw NvmlException.answered(second.get().name(), code);
            }
            secondRefused = true;
        }
        first.succeed(card, firstInfo);
        return new Figures(first.name(), firstInfo.getLong(0), 0, firstInfo.getLong(16));
    }

    /** Whether the reserved memory is told; true until a driver refused. */
    boolean tellsReserved() {
        return second.isPresent() && !secondRefused;
    }

    private int askSecond(NvmlCall call, Pointer card) {
        secondInfo.clear();
        secondInfo.setInt(0, V2_VERSION);
        return call.code(card, secondInfo);
    }

    private Figures secondFigures(NvmlCall call) {
        return new Figures(
                call.name(), secondInfo.getLong(8), secondInfo.getLong(16), secondInfo.getLong(32));
    }

    /** A library may export the form while the driver below it is too old for it. */
    private static boolean unknownForm(int code) {
        return NvmlReturn.FUNCTION_NOT_FOUND.is(code)
                || NvmlReturn.ARGUMENT_VERSION_MISMATCH.is(code);
    }
}
