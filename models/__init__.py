"""Models of the scores, one per file, each readable like the formula in a paper.

Installed as ``bayescorr.models``. Models are found by name through the entry-point group
``bayescorr.models``; see :func:`bayescorr.list_models`.
"""
