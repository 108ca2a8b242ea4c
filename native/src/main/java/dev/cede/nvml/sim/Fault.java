package dev.cede.nvml.sim;

import java.util.regex.Pattern;

/**
 * Lets calls about a card fail.
 *
 * @param call {@code all}, {@code handle}, {@code name}, {@code uuid}, {@code pci}, {@code minor},
 *     {@code memory}, {@code memory_v2}, {@code compute} or {@code graphics}; of the driver as a
 *     whole {@code init} or {@code count}
 * @param answer the return code's name without its prefix, such as {@code GPU_IS_LOST}
 */
public record Fault(String call, String answer) {
    private static final Pattern CALL = Pattern.compile("[a-z][a-z0-9_]{0,22}");
    private static final Pattern ANSWER = Pattern.compile("[A-Z][A-Z_]*");

    public Fault {
        if (!CALL.matcher(call).matches() || !ANSWER.matcher(answer).matches()) {
            throw new IllegalArgumentException(
                    "fault " + call + ":" + answer + ", expected such as memory:NOT_SUPPORTED");
        }
    }
}
