package dev.cede.coordinator.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ApiCallsTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "7, 7",
        "30, 30",
        "31, 30",
        "999999, 30",
        "soon, 1",
        "-1, 1",
        "9999999999999999999, 1",
        ", 1"
    })
    void K07_aBusyServerIsLeftAloneForAsLongAsItSaysButNeverForLong(
            String retryAfter, long seconds) {
        assertEquals(seconds, ApiCalls.pause(retryAfter).toSeconds());
    }
}
