package dev.cede.nvml;

import java.util.Optional;

/**
 * A card that the driver counts but that cannot be used.
 *
 * @param index the driver's order, from 0
 * @param uuid missing where the card never told
 * @param reason a sentence for the operator
 * @param retryCanHelp whether a later reading may find the card usable without anybody's help
 */
public record ExcludedCard(int index, Optional<String> uuid, String reason, boolean retryCanHelp) {}
