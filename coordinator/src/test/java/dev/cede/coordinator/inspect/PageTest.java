package dev.cede.coordinator.inspect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PageTest {
    private static final List<String> ALL = List.of("a", "b", "c", "d", "e");

    private static Page<String> page(List<String> all, int size, String token) {
        return Page.of(all, new Page.Asked(size, token), item -> item);
    }

    @Test
    void pagesFollowEachOtherUntilTheLast() {
        Page<String> first = page(ALL, 2, "");
        Page<String> second = page(ALL, 2, first.token());
        Page<String> third = page(ALL, 2, second.token());
        assertEquals(List.of("a", "b"), first.items());
        assertEquals(List.of("c", "d"), second.items());
        assertEquals(new Page<>(List.of("e"), ""), third);
    }

    @Test
    void aHundredAreGivenUnlessAskedOtherwise() {
        List<String> many = IntStream.range(0, 150).mapToObj(i -> "i" + i).toList();
        assertEquals(100, page(many, 0, "").items().size());
        assertEquals(new Page<>(List.of(), ""), page(List.of(), 0, ""));
    }

    @Test
    void whatComesAndGoesBetweenPagesNeitherHidesNorDoublesOthers() {
        String token = page(ALL, 2, "").token();
        assertEquals(
                List.of("c", "d"),
                page(List.of("0", "a", "b", "c", "d"), 2, token).items());
        assertEquals(List.of("c", "d"), page(List.of("b", "c", "d"), 2, token).items());
        assertEquals(List.of("c", "d"), page(List.of("a", "c", "d"), 2, token).items());
    }

    @Test
    void aBadSizeOrTokenIsNamed() {
        assertInvalid("page_size is 1001", 1001, "");
        assertInvalid("page_size is -1", -1, "");
        assertInvalid("page_token is nonsense", 1, "nonsense");
        assertInvalid("page_token is %", 1, "%");
    }

    private static void assertInvalid(String sentence, int size, String token) {
        StatusRuntimeException refused =
                assertThrows(StatusRuntimeException.class, () -> page(ALL, size, token));
        assertEquals(Status.Code.INVALID_ARGUMENT, refused.getStatus().getCode());
        assertTrue(refused.getStatus().getDescription().contains(sentence));
    }
}
