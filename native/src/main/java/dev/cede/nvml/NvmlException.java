package dev.cede.nvml;

import java.util.OptionalInt;

/** The driver could not be asked, or gave no usable answer. The message is for the operator. */
public final class NvmlException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String call;
    private final int returnCode;
    private final boolean retryCanHelp;

    private NvmlException(String message, String call, int returnCode, boolean retryCanHelp) {
        super(message);
        this.call = call;
        this.returnCode = returnCode;
        this.retryCanHelp = retryCanHelp;
    }

    /** The driver answered a call with a return code other than success. */
    public static NvmlException answered(String call, int returnCode) {
        return new NvmlException(
                call + " answered " + NvmlReturn.describe(returnCode),
                call,
                returnCode,
                NvmlReturn.retryCanHelp(returnCode));
    }

    /** The same with the return code's name, such as {@code GPU_IS_LOST}. */
    public static NvmlException answered(String call, String returnCode) {
        return answered(call, NvmlReturn.valueOf(returnCode).code());
    }

    /** The library is not there, or lacks what is needed. */
    static NvmlException unusable(String library, String why) {
        return new NvmlException(
                "driver library " + library + " cannot be used: " + why, library, -1, false);
    }

    /** The driver's answer makes no sense. */
    static NvmlException senseless(String call, String what) {
        return new NvmlException(call + " gave no usable answer: " + what, call, -1, true);
    }

    /** The function that failed, or the library that could not be loaded. */
    public String call() {
        return call;
    }

    /** The driver's return code; empty where it did not come to an answer. */
    public OptionalInt returnCode() {
        return returnCode < 0 ? OptionalInt.empty() : OptionalInt.of(returnCode);
    }

    /** Whether the same call may succeed later without anybody changing the machine. */
    public boolean retryCanHelp() {
        return retryCanHelp;
    }

    boolean is(NvmlReturn code) {
        return code.is(returnCode);
    }
}
