/**
 * The books of one node: which share of which card belongs to whom, and what may still be planned.
 * Agent and coordinator keep the same books by the same rules; all of it is pure.
 */
package dev.cede.ledger;
