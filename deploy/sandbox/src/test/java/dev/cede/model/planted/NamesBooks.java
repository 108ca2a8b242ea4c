package dev.cede.model.planted;

import dev.cede.ledger.NodeLedger;

/** Planted: the model must not know the ledger. */
record NamesBooks(NodeLedger books) {}
