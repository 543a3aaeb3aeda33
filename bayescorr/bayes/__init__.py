"""Bayesian models of the scores: build, sample, and the Fit that answers."""
