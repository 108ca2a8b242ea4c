package dev.cede.coordinator.inspect;

import io.grpc.Status;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.function.Function;

/**
 * A part of a list. The token names the last item of the part before and its position, so that the
 * next one follows it even if others came or went; if it is gone itself, the position counts.
 *
 * @param token of the next page, empty after the last
 */
record Page<T>(List<T> items, String token) {
    static final int DEFAULT_SIZE = 100;
    static final int MAX_SIZE = 1000;

    /** What was asked for. */
    record Asked(int size, String token) {}

    /** Throws INVALID_ARGUMENT, naming the field. */
    static <T> Page<T> of(List<T> all, Asked asked, Function<T, String> key) {
        int size = size(asked.size());
        int start = asked.token().isEmpty() ? 0 : start(all, asked.token(), key);
        int end = Math.min(all.size(), start + size);
        List<T> items = all.subList(start, end);
        boolean last = end == all.size();
        return new Page<>(items, last ? "" : token(end, key.apply(all.get(end - 1))));
    }

    private static int size(int asked) {
        if (asked < 0 || asked > MAX_SIZE) {
            throw invalid("page_size is " + asked + "; it takes 1 to " + MAX_SIZE + ", or 0 for "
                    + DEFAULT_SIZE);
        }
        return asked == 0 ? DEFAULT_SIZE : asked;
    }

    private static <T> int start(List<T> all, String token, Function<T, String> key) {
        String[] parts = decode(token).split(" ", 2);
        if (parts.length != 2 || !parts[0].matches("[1-9][0-9]{0,8}")) {
            throw badToken(token);
        }
        for (int i = 0; i < all.size(); i++) {
            if (key.apply(all.get(i)).equals(parts[1])) {
                return i + 1;
            }
        }
        // The item is gone, and so one less stands before the next.
        return Math.min(all.size(), Integer.parseInt(parts[0]) - 1);
    }

    private static String token(int end, String key) {
        byte[] text = (end + " " + key).getBytes(StandardCharsets.UTF_8);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text);
    }

    private static String decode(String token) {
        try {
            return new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw badToken(token);
        }
    }

    private static RuntimeException badToken(String token) {
        return invalid("page_token is " + token
                + "; it takes the last answer's next_page_token, or nothing");
    }

    private static RuntimeException invalid(String sentence) {
        return Status.INVALID_ARGUMENT.withDescription(sentence).asRuntimeException();
    }
}
