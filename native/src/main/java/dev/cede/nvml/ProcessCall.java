package dev.cede.nvml;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;

import dev.cede.nvml.NvmlLibrary.NvmlCall;

import java.util.List;

/** Reads one of the two process lists of a card, with the newest form of the call there is. */
final class ProcessCall {
    private static final int FIRST_ROOM = 64;
    private static final int TRIES = 5;

    /** Far above what a card can run; protects from asking the machine for absurd memory. */
    private static final int MOST_ROOM = 1 << 16;

    private final NvmlCall call;
    private final Memory count = new Memory(Integer.BYTES);
    private int room = FIRST_ROOM;
    private Memory array = new Memory((long) FIRST_ROOM * ProcessEntries.WIDEST);

    /** {@code function} without version, such as nvmlDeviceGetComputeRunningProcesses. */
    ProcessCall(NvmlLibrary library, String function) {
        this.call = library.newestCall(function + "_v3", function + "_v2", function);
    }

    /** The list grows between two tries when processes start meanwhile; hence several. */
    List<ProcessEntries.Entry> read(Pointer card) {
        int code = ask(card);
        for (int tries = 1; NvmlReturn.INSUFFICIENT_SIZE.is(code) && tries < TRIES; tries++) {
            makeRoom(count.getInt(0));
            code = ask(card);
        }
        if (!NvmlReturn.SUCCESS.is(code)) {
            throw NvmlException.answered(call.name(), code);
        }
        return decode(count.getInt(0));
    }

    private int ask(Pointer card) {
        array.setMemory(0, array.size(), ProcessEntries.MARK);
        count.setInt(0, room);
        return call.code(card, count, array);
    }

    private void makeRoom(int needed) {
        int wanted = Math.max(needed, room) + FIRST_ROOM;
        if (needed < 0 || wanted > MOST_ROOM) {
            throw NvmlException.senseless(call.name(), "room asked for " + needed + " processes");
        }
        room = wanted;
        array = new Memory((long) room * ProcessEntries.WIDEST);
    }

    private List<ProcessEntries.Entry> decode(int entries) {
        if (entries < 0 || entries > room) {
            throw NvmlException.senseless(call.name(), entries + " processes in room for " + room);
        }
        try {
            return ProcessEntries.decode(array.getByteBuffer(0, array.size()), entries);
        } catch (IllegalArgumentException e) {
            throw NvmlException.senseless(call.name(), e.getMessage());
        }
    }
}
