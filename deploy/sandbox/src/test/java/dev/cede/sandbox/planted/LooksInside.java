package dev.cede.sandbox.planted;

import dev.cede.ledger.NodeLedger;

/** Planted: a sandbox that reads books of its own. */
record LooksInside(NodeLedger books) {}
