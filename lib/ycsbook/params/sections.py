"""Sections of a params file: an operation mix, goals, what the report looks like, where published figures come from."""

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from ycsbook.params import experiments
from ycsbook.params.values import SLUG, SLUG_WORDS, Amount, Fraction, InsideRepository, Slug, Strict, in_words

FrontMatterName = Annotated[
    str, in_words(r"[A-Za-z][A-Za-z0-9_-]{0,31}", "up to 32 letters, digits, '_' and '-', a letter first")
]


class Workload(Strict):
    """An operation mix: shares that add up to 1; or the one operation of an experiment."""

    name: Slug
    operation: str = ""
    read: Fraction = 0.0
    update: Fraction = 0.0
    insert: Fraction = 0.0
    scan: Fraction = 0.0
    readmodifywrite: Fraction = 0.0
    distribution: Literal["zipfian", "uniform", "latest"] = "zipfian"

    @model_validator(mode="after")
    def _whole(self) -> "Workload":
        total = self.read + self.update + self.insert + self.scan + self.readmodifywrite
        if abs(total - (not self.operation)) > 1e-9:
            raise ValueError(
                f"the shares of workload {self.name!r} add up to {total:g}, expected {not self.operation:d}"
            )
        return self

    def plain(self) -> dict[str, Any]:
        """As JSON values; of an operation of an experiment without the shares, which it has not."""
        left_out = {"operation"} if not self.operation else set(type(self).model_fields) - {"name", "operation"}
        return self.model_dump(mode="json", exclude=left_out)

    @property
    def changes_records(self) -> bool:
        """Whether the records after a run of it are not those that were loaded."""
        changing = frozenset().union(*(e.changing for e in experiments.EXPERIMENTS.values()))
        return self.insert > 0 or self.operation in changing


class Goals(Strict):
    """What the server is wanted for: throughput, ops/s, and the 99th percentile of latency, ms."""

    qps: Amount | None = None
    p99_ms: Amount | None = None


class ReportSettings(Strict):
    """How the report looks and what its published page carries.

    Parameters
        profile: a vendor's page to write beside the report: qingcloud, tencent, a template in params/profiles, or
            one of another package.
        site: what publishes the Markdown page.
        front_matter: further fields of its head.
        history: a folder with the tables of earlier occasions, a folder each.
    """

    lang: Literal["en", "zh"] = "en"
    profile: Annotated[str, in_words(f"({SLUG})?", SLUG_WORDS)] = ""
    site: Literal["", "hugo", "sphinx", "plain"] = ""
    history: InsideRepository | None = None
    front_matter: dict[FrontMatterName, bool | int | float | str | tuple[str, ...]] = Field(default_factory=dict)

    @field_validator("front_matter", mode="after")
    @classmethod
    def _not_ours(cls, value: dict) -> dict:
        for name in value:
            if name in ("title", "description", "slug", "lang"):
                raise ValueError(f"{name!r} is written by the report itself; leave it out")
        return value


class SourceSettings(Strict):
    """Where a published table and the settings come from."""

    title: str
    publisher: str = ""
    date: str = ""
    document: str = ""
    url: Annotated[str, in_words(r"(?:https?://[^\s<>]{3,500})?", "an address such as https://example.com/page")] = ""
