package dev.cede.nvml;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;

import dev.cede.nvml.NvmlLibrary.NvmlCall;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The cards of this machine through NVIDIA's management library. One call into the driver at a
 * time, over buffers that are made once, so that polling leaves no garbage behind.
 */
public final class NvmlCardInventory implements CardInventory {
    /** Where the dynamic linker finds it on a machine with a driver. */
    public static final String DEFAULT_LIBRARY = "libnvidia-ml.so.1";

    /** No text of the driver is longer (NVML_DEVICE_UUID_V2_BUFFER_SIZE and its like). */
    private static final int TEXT_BYTES = 96;

    /** nvmlPciInfo_t, and where in it the full bus id begins. */
    private static final int PCI_BYTES = 68;

    private static final int PCI_BUS_ID_AT = 36;

    private static final String RESERVED_UNKNOWN =
            "this driver does not tell how much memory it reserves; it is counted as used";

    private final NvmlCall shutdown;
    private final NvmlCall driverVersion;
    private final NvmlCall count;
    private final NvmlCall handleByIndex;
    private final NvmlCall handleByUuid;
    private final NvmlCall name;
    private final NvmlCall uuid;
    private final NvmlCall pci;
    private final NvmlCall minor;
    private final MemoryCall memory;
    private final ProcessCall compute;
    private final ProcessCall graphics;

    private final Memory handle = new Memory(Native.POINTER_SIZE);
    private final Memory number = new Memory(Integer.BYTES);
    private final Memory text = new Memory(TEXT_BYTES);
    private final Memory pciInfo = new Memory(PCI_BYTES);
    private final Memory wantedUuid = new Memory(TEXT_BYTES);

    /** Which card was at an index when it last told, for when it no longer does. */
    private final Map<Integer, String> lastUuids = new TreeMap<>();

    private boolean open;

    private NvmlCardInventory(NvmlLibrary library) {
        shutdown = library.call("nvmlShutdown");
        driverVersion = library.call("nvmlSystemGetDriverVersion");
        count = library.call("nvmlDeviceGetCount_v2");
        handleByIndex = library.call("nvmlDeviceGetHandleByIndex_v2");
        handleByUuid = library.call("nvmlDeviceGetHandleByUUID");
        name = library.call("nvmlDeviceGetName");
        uuid = library.call("nvmlDeviceGetUUID");
        pci = library.call("nvmlDeviceGetPciInfo_v3");
        minor = library.call("nvmlDeviceGetMinorNumber");
        memory = new MemoryCall(library);
        compute = new ProcessCall(library, "nvmlDeviceGetComputeRunningProcesses");
        graphics = new ProcessCall(library, "nvmlDeviceGetGraphicsRunningProcesses");
    }

    /**
     * Loads the driver's library from where the dynamic linker finds it.
     *
     * @throws NvmlException where it is missing, unusable or refuses to start
     */
    public static NvmlCardInventory open() {
        return open(DEFAULT_LIBRARY);
    }

    /** The same with a library of another name, or at a path. */
    public static NvmlCardInventory open(String libraryNameOrPath) {
        NvmlLibrary library = NvmlLibrary.load(libraryNameOrPath);
        NvmlCardInventory inventory = new NvmlCardInventory(library);
        library.call("nvmlInit_v2").succeed();
        inventory.open = true;
        return inventory;
    }

    @Override
    public synchronized Inventory read() {
        requireOpen();
        driverVersion.succeed(text, TEXT_BYTES);
        String version = text.getString(0, StandardCharsets.UTF_8.name());
        count.succeed(number);
        int cards = number.getInt(0);
        List<NvmlCard> usable = new ArrayList<>();
        List<ExcludedCard> excluded = new ArrayList<>();
        for (int index = 0; index < cards; index++) {
            readInto(index, usable, excluded);
        }
        return new Inventory(version, usable, excluded, notes());
    }

    private List<String> notes() {
        return memory.tellsReserved() ? List.of() : List.of(RESERVED_UNKNOWN);
    }

    private void readInto(int index, List<NvmlCard> usable, List<ExcludedCard> excluded) {
        try {
            usable.add(readCard(index));
        } catch (NvmlException e) {
            if (e.is(NvmlReturn.UNINITIALIZED)) {
                throw e;
            }
            Optional<String> known = Optional.ofNullable(lastUuids.get(index));
            excluded.add(new ExcludedCard(index, known, e.getMessage(), e.retryCanHelp()));
        }
    }

    private NvmlCard readCard(int index) {
        handleByIndex.succeed(index, handle);
        Pointer card = handle.getPointer(0);
        String cardUuid = text(uuid, card);
        lastUuids.put(index, cardUuid);
        String cardName = text(name, card);
        minor.succeed(card, number);
        int minorNumber = number.getInt(0);
        pci.succeed(card, pciInfo);
        String busId = pciInfo.getString(PCI_BUS_ID_AT, StandardCharsets.UTF_8.name());
        MemoryCall.Figures bytes = memory.read(card);
        if (!bytes.plausible()) {
            throw NvmlException.senseless(
                    bytes.call(),
                    "total " + bytes.total() + ", reserved " + bytes.reserved() + ", used "
                            + bytes.used() + " bytes");
        }
        return new NvmlCard(
                cardUuid,
                index,
                minorNumber,
                cardName,
                busId,
                bytes.total(),
                bytes.reserved(),
                bytes.used());
    }

    private String text(NvmlCall call, Pointer card) {
        call.succeed(card, text, TEXT_BYTES);
        return text.getString(0, StandardCharsets.UTF_8.name());
    }

    @Override
    public synchronized List<GpuProcess> processes(String cardUuid) {
        requireOpen();
        Pointer card = cardOf(cardUuid);
        return ProcessList.of(compute.read(card), readGraphics(card));
    }

    private Pointer cardOf(String cardUuid) {
        byte[] bytes = cardUuid.getBytes(StandardCharsets.UTF_8);
        if (bytes.length >= TEXT_BYTES) {
            throw NvmlException.answered(handleByUuid.name(), NvmlReturn.NOT_FOUND.code());
        }
        wantedUuid.clear();
        wantedUuid.write(0, bytes, 0, bytes.length);
        handleByUuid.succeed(wantedUuid, handle);
        return handle.getPointer(0);
    }

    /** A card that cannot draw has no such list. */
    private List<ProcessEntries.Entry> readGraphics(Pointer card) {
        try {
            return graphics.read(card);
        } catch (NvmlException e) {
            if (e.is(NvmlReturn.NOT_SUPPORTED)) {
                return List.of();
            }
            throw e;
        }
    }

    private void requireOpen() {
        if (!open) {
            throw new IllegalStateException("the card inventory is closed");
        }
    }

    /** Gives the driver back; a second time is without effect. */
    @Override
    public synchronized void close() {
        if (open) {
            open = false;
            shutdown.succeed();
        }
    }
}
