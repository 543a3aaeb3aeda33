"""Score distributions: average precision inferred from a model of the documents' scores.

A run assigns a score to every returned document. One distribution models the scores of relevant
documents and another those of non-relevant documents (Cummins 2012). Together they give the average
precision of each topic with its uncertainty.
"""
