"""Another algorithm beside the chosen one, under the same conditions."""

from __future__ import annotations

import kanon_engine as kanon
from pages._common.results import Choice


def alike(algorithm: kanon.Algorithm, choice: Choice) -> Choice:
    """An algorithm with the chosen values of the options that both have, and the default of all others."""
    same = {option.name: value for option, (_, value) in zip(choice.algorithm.options, choice.options, strict=True)}
    known = set(choice.algorithm.options)
    options = tuple((one.name, same[one.name] if one in known else one.default) for one in algorithm.options)
    return Choice(algorithm, options, choice.seed)
