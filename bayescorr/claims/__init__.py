"""What may be claimed about the systems of a fit; its methods."""

from bayescorr.claims.decisions import compare_systems, top
from bayescorr.claims.partial_order import decided_pairs
from bayescorr.claims.ranking import ranking
from bayescorr.claims.systems import best, discordance, groups, rank_probabilities
from bayescorr.claims.together import could_be_top, joint_ranks, top_set
from bayescorr.claims.verdict import verdict
from bayescorr.claims.winner import winner

__all__ = [
    "best",
    "compare_systems",
    "could_be_top",
    "decided_pairs",
    "discordance",
    "groups",
    "joint_ranks",
    "rank_probabilities",
    "ranking",
    "top",
    "top_set",
    "verdict",
    "winner",
]
