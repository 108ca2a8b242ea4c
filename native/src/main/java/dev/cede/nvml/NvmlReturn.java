package dev.cede.nvml;

/** The driver library's return codes (NVML API reference, nvmlReturn_t). */
enum NvmlReturn {
    SUCCESS(0, false),
    UNINITIALIZED(1, false),
    INVALID_ARGUMENT(2, false),
    NOT_SUPPORTED(3, false),
    NO_PERMISSION(4, false),
    ALREADY_INITIALIZED(5, false),
    NOT_FOUND(6, false),
    INSUFFICIENT_SIZE(7, true),
    INSUFFICIENT_POWER(8, false),
    DRIVER_NOT_LOADED(9, true),
    TIMEOUT(10, true),
    IRQ_ISSUE(11, true),
    LIBRARY_NOT_FOUND(12, false),
    FUNCTION_NOT_FOUND(13, false),
    CORRUPTED_INFOROM(14, false),
    GPU_IS_LOST(15, false),
    RESET_REQUIRED(16, false),
    OPERATING_SYSTEM(17, true),
    LIB_RM_VERSION_MISMATCH(18, false),
    IN_USE(19, true),
    MEMORY(20, true),
    NO_DATA(21, true),
    INSUFFICIENT_RESOURCES(23, true),
    ARGUMENT_VERSION_MISMATCH(25, false),
    DEPRECATED(26, false),
    NOT_READY(27, true),
    GPU_NOT_FOUND(28, false),
    UNKNOWN(999, true);

    private final int code;
    private final boolean retryCanHelp;

    NvmlReturn(int code, boolean retryCanHelp) {
        this.code = code;
        this.retryCanHelp = retryCanHelp;
    }

    int code() {
        return code;
    }

    boolean is(int answered) {
        return code == answered;
    }

    /** A code that is not in the list may be a new one and is taken as one that may pass. */
    static boolean retryCanHelp(int code) {
        for (NvmlReturn known : values()) {
            if (known.code == code) {
                return known.retryCanHelp;
            }
        }
        return true;
    }

    static String describe(int code) {
        for (NvmlReturn known : values()) {
            if (known.code == code) {
                return known.name() + " (" + code + ")";
            }
        }
        return "return code " + code;
    }
}
