"""Which evidence there is: to add a piece, write its class in the file of its kind and name it here."""

from __future__ import annotations

from faan.evidence import about_context, about_paths, about_tails, about_vectors
from faan.evidence.about_learnt import LearntScore
from faan.evidence.evidence import Evidence
from faan.evidence.question import Sources

CATALOGUE: tuple[Evidence, ...] = (
    about_paths.ShortPaths(),
    about_paths.LongPaths(),
    about_paths.AllPaths(),
    about_paths.BestPath(),
    about_paths.PathsFired(),
    about_paths.DirectLink(),
    about_paths.CommonNeighbours(),
    about_paths.RareNeighbours(),
    about_tails.TailCount(),
    about_tails.WeighedTailCount(),
    about_tails.Degree(),
    about_tails.TypeShare(),
    about_tails.SimilarTails(),
    about_tails.MostSimilarTail(),
    about_tails.WeighedSimilarTails(),
    about_tails.RolePopularity(),
    about_vectors.MeanTranslation(),
    about_vectors.NearestTranslation(),
    about_vectors.WeighedTranslation(),
    about_vectors.MeanMatch(),
    about_vectors.BestMatch(),
    about_vectors.WeighedMatch(),
    about_vectors.FittedMatch(),
    about_vectors.HeadCosine("translation"),
    about_vectors.TailCosine("translation"),
    about_vectors.NearestTailCosine("translation"),
    about_vectors.WeighedTailCosine("translation"),
    about_vectors.HeadCosine("matching"),
    about_vectors.TailCosine("matching"),
    about_vectors.NearestTailCosine("matching"),
    about_vectors.WeighedTailCosine("matching"),
    about_context.Shots(),
    about_context.DistinctTails(),
    about_context.DistinctHeads(),
    about_context.NumCandidates(),
    about_context.BestRule(),
    about_context.HeadFamiliarity(),
    about_context.HeadDegree(),
)


def evidence_of(sources: Sources) -> tuple[Evidence, ...]:
    """All evidence that the sources allow."""
    everything = (*CATALOGUE, *(LearntScore(name) for name in sources.learnt))
    return tuple(one for one in everything if one.is_there(sources))
