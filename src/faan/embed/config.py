"""The settings of an embedding run, checked when they are given and explained where they are defined."""

from __future__ import annotations

import os
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from faan.base import Settings

ModelName = Literal["transe", "distmult", "complex", "simple", "rotate"]

MIN_EPOCHS = 5  # however large a graph is: after fewer, vectors say little
PATIENCE = 3  # evaluations without a better MRR after which vectors for link prediction are finished
_MOST_MEMORY = 4 << 30  # bytes of vectors and optimiser state with `partitions = "auto"`


class EmbedConfig(Settings):
    """How to train embeddings; ``EmbedConfig.recommended(model)`` has the settings that were chosen by measurement."""

    model: ModelName = "transe"
    """Which scoring function; see ``faan.embed.models``."""
    dimension: int = Field(100, ge=1)
    """Numbers per vector; complex numbers for ComplEx and RotatE, and each of SimplE's two vectors has this many."""
    norm: Literal[1, 2] = 1
    """The norm of TransE's distance; the other models have none to choose."""
    inverse_relations: bool = False
    """Learn a second vector per relation that answers (?, r, t) as (t, r^-1, ?), instead of one vector for both."""

    epochs: int = Field(60, ge=1)
    """How often each triple is seen; in an epoch a triple is asked for either its tail or its head, at random."""
    budget: int = Field(0, ge=0)
    """Triples to see in all epochs together at most: a large graph gets fewer epochs, but five; 0 sets no bound."""
    batch_size: int = Field(2048, ge=2)
    """Triples per update, a multiple of ``2 * chunk_size``; small graphs use less, so that an epoch has ten updates."""
    chunk_size: int = Field(256, ge=1)
    """Triples that share their negatives: more is faster (larger matrices), fewer gives more varied negatives."""
    negatives: int | Literal["all"] = 96
    """Entities that each triple is compared with, drawn uniformly. ``"all"`` compares with every entity (1-to-all), as
    does a number that is not below theirs: so large graphs can have fewer."""
    whole_questions: bool = False
    """Where all entities are negatives: compare each question (h, r, ?) with them once, with all of its answers. It is
    several times as fast where questions have many answers, and a little worse on CoDEx-S. Only for softmax."""
    in_batch_negatives: float = Field(0.0, ge=0.0, le=1.0)
    """The share of the negatives drawn from the chunk's own answers, so in proportion to how often entities occur."""

    loss: Literal["margin", "logistic", "softmax"] = "logistic"
    """Hinge of the difference to each negative, binary cross-entropy of each, or cross-entropy among all of them."""
    margin: float = Field(0.0, ge=0.0)
    """Margin: by how much a true triple has to win. Logistic: added to the scores, the distance that counts as even."""
    adversarial_temperature: float = Field(0.0, ge=0.0)
    """Weigh negatives by softmax(temperature * score) (Sun et al., 2019); 0 weighs all alike. Not for softmax."""

    optimizer: Literal["adagrad", "adam"] = "adagrad"
    """Adagrad keeps one number of state per parameter, Adam two; both only move the rows that a batch touches."""
    learning_rate: float = Field(0.1, gt=0.0)
    """The size of an update; lower it when training stops with a loss that is not finite."""
    regularization: float = Field(0.0, ge=0.0)
    """Weight of the penalty on the vectors of a batch's triples."""
    regularization_choices: Annotated[tuple[Annotated[float, Field(ge=0.0)], ...], Field(strict=False)] = ()
    """Further weights, rising: each is tried in a short run of a quarter of the epochs as long as it is clearly better
    on held-out triples than the one before. Short runs have at least four epochs. Nothing is tried if the training has
    no more than that, if four epochs are over 4 million triples, or with several partitions."""
    regularization_power: Literal[2, 3] = 3
    """2 penalises squares (L2), 3 cubes (N3; Lacroix et al., 2018)."""
    dropout: float = Field(0.0, ge=0.0, lt=1.0)
    """The share of a query's coordinates that is zeroed at random in training."""
    unit_norm: bool = False
    """Keep every entity vector at length 1 (Bordes et al., 2013)."""
    init_scale: float = Field(0.1, gt=0.0)
    """Standard deviation of the first values; RotatE's angles start uniform."""

    evaluate_every: int = Field(10, ge=1)
    """Epochs between checkpoints, which are also the moments when held-out triples are ranked."""
    patience: int = Field(0, ge=0)
    """Stop after this many evaluations without a better held-out MRR, and keep the best; 0 trains to the end."""
    held_out: int = Field(0, ge=0)
    """Triples taken out of training to be ranked, when no validation triples are given."""
    evaluate_queries: int = Field(1000, ge=1)
    """At most this many held-out triples are ranked at each evaluation, a fixed sample."""
    evaluate_candidates: int = Field(10_000, ge=1)
    """They are ranked among this many entities, a fixed sample, which keeps evaluations cheap on large graphs."""

    partitions: int | Literal["auto"] = 1
    """Parts of the entities, two of which are in memory while the others are on disk; 1 keeps all in memory. More of
    them take less memory and more time. ``"auto"`` is 1 where vectors and the optimiser's state fit into 4 GiB (or a
    third of the machine's memory), and else 4 or more."""
    rounds: bool = False
    """Train partitions in rounds whose buckets share no partition, so that several workers (``--engine ray``) can
    compute them at once; relation vectors are put together after each round. The result does not depend on workers."""

    seed: int = Field(0, ge=0)
    """The same seed and settings give the same vectors."""

    @classmethod
    def recommended(cls, model: ModelName, **changes: Any) -> EmbedConfig:
        """The settings that were best for a model, `embed-MODEL`, with changes of your own.

        They were chosen for relations with few triples, on NELL-One's dev tasks (``docs/experiments.md``).
        """
        return cls.model_validate(cls.from_toml(f"embed-{model}").model_dump() | changes)

    @classmethod
    def for_completion(cls, model: ModelName, *, has_valid: bool) -> EmbedConfig:
        """The settings for link prediction, `embed-MODEL-completion`; validation triples decide when to stop."""
        config = cls.from_toml(f"embed-{model}-completion")
        return config.model_copy(update={"patience": PATIENCE}) if has_valid else config

    def for_graph(self, num_triples: int, num_entities: int) -> EmbedConfig:
        """The settings for a graph of some size: as many epochs as the budget allows, no entity twice as a negative."""
        changes: dict[str, Any] = {}
        if self.negatives != "all" and self.negatives >= num_entities:
            changes["negatives"] = "all"
        if self.budget:
            epochs = max(min(self.epochs, self.budget // max(num_triples, 1)), min(self.epochs, MIN_EPOCHS))
            changes |= {"epochs": epochs, "budget": 0}
        if self.partitions == "auto":
            changes["partitions"] = 1 if "negatives" in changes else self._partitions(num_entities)
            changes["rounds"] = self.rounds and changes["partitions"] > 1
        return self.model_copy(update=changes)

    def _partitions(self, num_entities: int) -> int:
        """So many that two of them fit into the memory that is theirs."""
        wide = 1 if self.model in ("transe", "distmult") else 2
        table = 4 * num_entities * wide * self.dimension * (3 if self.optimizer == "adam" else 2)
        room = min(_MOST_MEMORY, _memory() // 3)
        count = 1 if table <= room else 4
        while count > 1 and 2 * table > count * room:
            count *= 2
        return count

    @property
    def asks_whole_questions(self) -> bool:
        """Whether a question is compared with all entities once, whatever number of answers it has."""
        return self.negatives == "all" and self.whole_questions

    @model_validator(mode="before")
    @classmethod
    def _check_kind(cls, settings: Any) -> Any:
        if isinstance(settings, dict) and isinstance(settings.get("model"), dict):
            raise ValueError("these are the settings of a few-shot method, not of embeddings: train it by `faan train`")
        return settings

    @model_validator(mode="after")
    def _check(self) -> EmbedConfig:
        if self.batch_size % (2 * self.chunk_size):
            raise ValueError(
                f"batch_size must be a multiple of 2 * chunk_size = {2 * self.chunk_size} (half of the chunks ask for"
                f" tails, half for heads), not {self.batch_size}"
            )
        if self.negatives != "all" and self.negatives < 1:
            raise ValueError(f'negatives must be at least 1 or "all", not {self.negatives}')
        if self.partitions != "auto" and self.partitions < 1:
            raise ValueError(f'partitions must be at least 1 or "auto", not {self.partitions}')
        if self.rounds and self.partitions == 1:
            raise ValueError("rounds need several partitions: set partitions to 4 or more")
        if self.negatives == "all" and self.partitions != 1:
            raise ValueError('negatives = "all" needs all entities in memory: leave partitions at 1')
        if self.loss == "margin" and self.margin == 0.0:
            raise ValueError("the margin loss needs a margin above 0")
        if self.whole_questions and self.loss != "softmax":
            raise ValueError(f"whole_questions needs the softmax loss, not {self.loss}")
        if self.loss == "softmax" and self.adversarial_temperature > 0.0:
            raise ValueError("the softmax loss weighs negatives by itself: leave adversarial_temperature at 0")
        return self


def _memory() -> int:
    """The bytes of memory that the machine has."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows does not tell
        return 3 * _MOST_MEMORY
