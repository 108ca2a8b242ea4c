package dev.cede.nvml;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * The loaded driver library. Functions are looked up one by one, because each series of drivers
 * offers another set of them.
 */
final class NvmlLibrary {
    private final String name;
    private final NativeLibrary library;

    private NvmlLibrary(String name, NativeLibrary library) {
        this.name = name;
        this.library = library;
    }

    /**
     * Loads a library by path, or by name as the dynamic linker finds it.
     *
     * @throws NvmlException naming the library, where that fails
     */
    static NvmlLibrary load(String nameOrPath) {
        if (nameOrPath.contains("/") && !Files.exists(Path.of(nameOrPath))) {
            throw NvmlException.unusable(nameOrPath, "no such file");
        }
        try {
            return new NvmlLibrary(nameOrPath, NativeLibrary.getInstance(nameOrPath));
        } catch (UnsatisfiedLinkError | NoClassDefFoundError e) {
            throw NvmlException.unusable(nameOrPath, firstLine(e));
        }
    }

    /** A function that every driver has. */
    NvmlCall call(String function) {
        return optionalCall(function)
                .orElseThrow(() -> NvmlException.unusable(name, "it has no function " + function));
    }

    /** The first of these functions that this driver has, newest first. */
    NvmlCall newestCall(String... functions) {
        return Arrays.stream(functions)
                .map(this::optionalCall)
                .flatMap(Optional::stream)
                .findFirst()
                .orElseThrow(() -> NvmlException.unusable(
                        name, "it has none of the functions " + String.join(", ", functions)));
    }

    Optional<NvmlCall> optionalCall(String function) {
        try {
            return Optional.of(new NvmlCall(function, library.getFunction(function)));
        } catch (UnsatisfiedLinkError e) {
            return Optional.empty();
        }
    }

    private static String firstLine(Throwable failure) {
        return String.valueOf(failure.getMessage()).lines().findFirst().orElse("no reason given");
    }

    /** A function of the library; all of them answer with a return code. */
    record NvmlCall(String name, Function function) {

        int code(Object... arguments) {
            return function.invokeInt(arguments);
        }

        /**
         * Calls and accepts nothing but success.
         *
         * @throws NvmlException with the return code
         */
        void succeed(Object... arguments) {
            int code = code(arguments);
            if (!NvmlReturn.SUCCESS.is(code)) {
                throw NvmlException.answered(name, code);
            }
        }
    }
}
