"""What is said about a system, from its predictions in the order of the truth (pure)."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from build.analysis.correlation import Floats, mean_defined
from build.scoring import measures
from build.scoring.truth import MADB, Truth

Result = dict[str, Any]


@dataclass(frozen=True)
class Judge:
    """The truth and the bootstrap draws of its songs, the same for every system. Predictions are (songs, targets)."""

    truth: Truth
    draws: Floats

    def scores(self, values: Floats, group: str) -> Result:
        """The measures of one language, or of madb, beside the train mean's; and a row a target."""
        columns = self.truth.columns(group)
        rated, train_mean = self.truth.rated[:, columns], self._train_mean(columns)
        told = {
            "primary": self._estimate(measures.within_targets, rated, values[:, columns]),
            "primary_train_mean": self._estimate(measures.within_targets, rated, train_mean),
        }
        if group in self.truth.ceilings:
            told |= {
                "second": self._estimate(measures.within_songs, rated, values[:, columns]),
                "second_train_mean": self._estimate(measures.within_songs, rated, train_mean),
                "ceiling": asdict(self.truth.ceilings[group]),
            }
        return told | {"targets": self._targets(values, columns)}

    def overall(self, values: Floats) -> Result:
        """The primary measure, averaged over languages."""
        groups = self.truth.groups
        whole = self._primary(values, groups, None)
        return {"primary": asdict(measures.estimate(whole, self._primary(values, groups, self.draws)))}

    def comparison(self, first: Floats, second: Floats, groups: Sequence[str]) -> Result:
        """Two systems by the primary measure: size of the difference (Cohen's q), and its test (paired bootstrap)."""
        own, other = (self._primary(values, groups, None) for values in (first, second))
        differences = self._primary(first, groups, self.draws) - self._primary(second, groups, self.draws)
        return {
            "primary": _or_none(own[0]),
            "primary_against": _or_none(other[0]),
            "difference": asdict(measures.estimate(own - other, differences)),
            "cohens_q": measures.cohens_q(float(own[0]), float(other[0])),
            "p": measures.bootstrap_p(differences),
        }

    def _train_mean(self, columns: list[int]) -> Floats:
        return np.tile(self.truth.train_means[columns], (len(self.truth.songs), 1))

    def _estimate(self, measure: Callable[..., Floats], rated: Floats, predicted: Floats) -> Result:
        return asdict(measures.estimate(measure(rated, predicted), measure(rated, predicted, self.draws)))

    def _primary(self, values: Floats, groups: Sequence[str], draws: Floats | None) -> Floats:
        """Shape (draws,); each group counts the same, whatever its number of targets."""
        places = [self.truth.columns(group) for group in groups]
        each = [measures.within_targets(self.truth.rated[:, place], values[:, place], draws) for place in places]
        return mean_defined(np.stack(each), axis=0)

    def _targets(self, values: Floats, columns: list[int]) -> list[Result]:
        rated, predicted = self.truth.rated[:, columns], values[:, columns]
        measured = self._of_dimensions(rated, predicted, columns) if self.truth.task == MADB else {}
        measured = measured or {"r": measures.correlations(rated, predicted)[0]}
        there = np.isfinite(rated)
        return [
            {
                "target": self.truth.targets[column].key,
                "label": self.truth.targets[column].label,
                "n_songs": int(there[:, place].sum()),
                "n_predicted": int((there & np.isfinite(predicted))[:, place].sum()),
                **{name: _or_none(numbers[place]) for name, numbers in measured.items()},
            }
            for place, column in enumerate(columns)
        ]

    def _of_dimensions(self, rated: Floats, predicted: Floats, columns: list[int]) -> dict[str, Floats]:
        rho, tau = measures.rank_correlations(rated, predicted)
        return {
            "mse": measures.squared_errors(rated, predicted),
            "lcc": measures.correlations(rated, predicted)[0],
            "srcc": rho,
            "krcc": tau,
            "mse_train_mean": measures.squared_errors(rated, self._train_mean(columns)),
        }


def _or_none(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
