"""Scoring: predictions for the songs of a built dataset in, the same numbers for everybody out.

`score("predictions.csv", "globalmood:korean")["scores"]["korean"]["primary"]["value"]`
"""

from build.scoring.score import TRAIN_MEAN, score

__all__ = ["TRAIN_MEAN", "score"]
