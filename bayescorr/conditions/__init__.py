"""Several conditions (judges, measures, pool depths) on the same topics and systems."""
