"""Which methods a completer can use, from the register of methods."""

from __future__ import annotations

from faan.base import InputError, check_kind
from faan.complete.evidence import FittedEvidence
from faan.complete.fewshot import FittedModel
from faan.complete.methods import Fitted, FittedUntrained, Recipe
from faan.models import METHODS, methods
from faan.train import RunConfig

DEFAULT, FALLBACK = "evidence", "rules"  # rules for a graph with too few tasks to learn from
_TRAINED: dict[str, type[Fitted]] = {"episodes": FittedModel, "evidence": FittedEvidence}


def fit_methods() -> list[str]:
    """The methods that `faan fit` can make, the default first."""
    names = [one.model_fields["method"].default for one in methods() if one.fit_config is not None]
    return sorted(names, key=lambda name: name != DEFAULT)


def recipe_of(method: str | None = None, config: str | None = None) -> Recipe:
    """The recipe of a method with its usual configuration, or of the method that a configuration names."""
    if config is not None:
        check_kind("config", config, str, "a name or the path of a TOML file, as text")
        found = RunConfig.from_toml(config).model.method
        if method not in (None, found):
            raise InputError(f"the configuration {config!r} is one of {found}, not of {method}: leave one of them out")
        return Recipe(found, config)
    name = method or DEFAULT
    if name not in fit_methods():
        raise InputError(f"no method is called {name!r}; expected one of {', '.join(fit_methods())}")
    return Recipe(name, METHODS[name].fit_config or "")


def fitted_by(recipe: Recipe) -> type[Fitted]:
    """The class that makes and loads a method."""
    known = METHODS[recipe.method]
    return FittedUntrained if known.kind == "untrained" else _TRAINED[known.trainer]
