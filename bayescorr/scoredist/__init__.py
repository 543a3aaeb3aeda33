"""Score distributions: average precision inferred from a model of the documents' scores.

A run gives every returned document a score, and the scores of relevant and of non-relevant
documents are modelled by two distributions (Cummins 2012). That gives average precision per topic
with its uncertainty, ready for the models of the score matrix.
"""
