"""Scores: reading them, checking them, and collections to try things on."""
