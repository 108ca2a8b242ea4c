package dev.cede.testbed.planted;

import dev.cede.model.Units;

/** Planted: a stand-in that speaks the product's words. */
record KnowsTheProduct(Units units) {}
