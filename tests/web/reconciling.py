"""A client that does what OpenRefine does, and what the Reconciliation API 0.2 says answers look like.

The checks are written from the specification and its JSON schemas (https://reconciliation-api.github.io/specs/0.2/).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi.testclient import TestClient
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from pydantic.alias_generators import to_camel

BATCH = 10  # cells that OpenRefine sends at once
Text = Annotated[str, Field(strict=True)]
Template = Annotated[str, Field(pattern=r"\{\{id\}\}")]
Number = Annotated[float, Field(strict=True)]


class _Exact(BaseModel):
    """Nothing but these members may be there."""

    model_config = ConfigDict(extra="forbid")


class Kind(BaseModel):
    id: Text
    name: Text


class Service(BaseModel):
    service_url: Annotated[str, Field(pattern=r"^https?://")]
    service_path: Annotated[str, Field(pattern="^/")]


class Suggests(_Exact):
    entity: Service
    property: Service
    type: Service


class Preview(BaseModel):
    url: Template
    width: Annotated[int, Field(strict=True)]
    height: Annotated[int, Field(strict=True)]


class View(BaseModel):
    url: Template


class Choice(BaseModel):
    value: Text
    name: Text


class NumberSetting(BaseModel):
    type: Literal["number"]
    name: Text
    label: Text
    default: Number


class SelectSetting(BaseModel):
    type: Literal["select"]
    name: Text
    label: Text
    default: Text
    choices: list[Choice]


class CheckboxSetting(BaseModel):
    type: Literal["checkbox"]
    name: Text
    label: Text
    default: Annotated[bool, Field(strict=True)]


class Extend(BaseModel):
    propose_properties: Service
    property_settings: list[Annotated[NumberSetting | SelectSetting | CheckboxSetting, Field(discriminator="type")]]


class Manifest(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)

    versions: list[Text]
    name: Text
    identifier_space: Annotated[str, Field(pattern="^[a-z]+:")]
    schema_space: Annotated[str, Field(pattern="^[a-z]+:")]
    default_types: list[Kind]
    view: View
    preview: Preview
    suggest: Suggests
    extend: Extend
    batch_size: Annotated[int, Field(strict=True, ge=1)]


class Feature(_Exact):
    id: Text
    value: Annotated[bool, Field(strict=True)] | Number | Annotated[int, Field(strict=True)]


class Candidate(_Exact):
    id: Annotated[str, Field(strict=True, min_length=1)]
    name: Annotated[str, Field(strict=True, min_length=1)]
    description: Text
    type: list[Kind]
    score: Annotated[float, Field(strict=True, ge=0, le=100)]
    match: Annotated[bool, Field(strict=True)]
    features: list[Feature]


class Result(_Exact):
    result: list[Candidate]
    error: Text = ""  # faan's own: what is wrong with one query of a batch


class Suggestion(BaseModel):
    id: Text
    name: Text
    description: Text


class Suggestions(_Exact):
    result: list[Suggestion]


class EntityCell(_Exact):
    id: Text
    name: Text


class TextCell(_Exact):
    str: Text


class FloatCell(_Exact):
    float: Number


class Meta(BaseModel):
    id: Text
    name: Text
    type: Kind | None = None


class Extended(_Exact):
    meta: list[Meta]
    rows: dict[str, dict[str, list[EntityCell | TextCell | FloatCell]]]


class Proposal(_Exact):
    properties: list[Kind]
    type: Text
    limit: int


class Refine:
    """A client of a reconciliation service, which checks every answer."""

    def __init__(self, client: TestClient, address: str = "http://127.0.0.1:8000/reconcile") -> None:
        self._client, self._address = client, address
        self.manifest = Manifest.model_validate(self._get(address))

    def _get(self, address: str, **parameters: str) -> Any:
        answer = self._client.get(address, params=parameters, headers={"origin": "http://127.0.0.1:3333"})
        assert answer.status_code == 200, answer.text
        assert answer.headers["access-control-allow-origin"] == "http://127.0.0.1:3333"
        return answer.json()

    def _post(self, **fields: str) -> Any:
        answer = self._client.post(self._address, data=fields)  # from OpenRefine's server, which is no page
        assert answer.status_code == 200, answer.text
        return answer.json()

    def reconcile(self, cells: Sequence[str], **others: Any) -> list[list[Candidate]]:
        """The candidates of each cell, asked for in batches."""
        found = []
        for start in range(0, len(cells), BATCH):
            batch = {f"q{i}": {"query": cell, **others} for i, cell in enumerate(cells[start : start + BATCH])}
            answer = TypeAdapter(dict[str, Result]).validate_python(self._post(queries=json.dumps(batch)))
            assert list(answer) == list(batch)
            assert not any(result.error for result in answer.values())
            found += [result.result for result in answer.values()]
        for candidates in found:
            scores = [candidate.score for candidate in candidates]
            assert scores == sorted(scores, reverse=True)
            assert sum(candidate.match for candidate in candidates) <= 1
        return found

    def extend(self, ids: Sequence[str], *properties: dict[str, Any]) -> Iterator[tuple[str, dict[str, list[Any]]]]:
        """The rows of new columns, asked for in batches; entities as their ids."""
        for start in range(0, len(ids), BATCH):
            asked = {"ids": ids[start : start + BATCH], "properties": properties}
            answer = Extended.model_validate(self._post(extend=json.dumps(asked)))
            assert [one.id for one in answer.meta] == [one["id"] for one in properties]
            for name, row in answer.rows.items():
                assert set(row) == {one["id"] for one in properties}
                yield name, {key: [next(iter(dict(cell).values())) for cell in cells] for key, cells in row.items()}

    def suggest(self, what: Literal["entity", "type", "property"], prefix: str, **others: str) -> list[str]:
        """The ids that are offered for what a person has typed."""
        service: Service = getattr(self.manifest.suggest, what)
        found = self._get(f"{service.service_url}{service.service_path}", prefix=prefix, **others)
        return [one.id for one in Suggestions.model_validate(found).result]

    def propose(self, kind: str, **others: str) -> list[str]:
        """The properties that are proposed for a type."""
        service = self.manifest.extend.propose_properties
        found = self._get(f"{service.service_url}{service.service_path}", type=kind, **others)
        return [one.id for one in Proposal.model_validate(found).properties]

    def preview(self, name: str, careful: bool = True) -> str:
        """The page of an entity; OpenRefine 3.6 is not careful about reserved characters."""
        encoded = quote(name, safe="") if careful else quote(name, safe=";,/?:@&=+$!*'()#")
        answer = self._client.get(self.manifest.preview.url.replace("{{id}}", encoded))
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"].startswith("text/html")
        return str(answer.text)
