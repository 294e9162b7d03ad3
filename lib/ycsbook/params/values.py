"""The kinds of value a params file holds."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from ycsbook import paths, units
from ycsbook.errors import shown

# YCSB counts in Java ints; a month is longer than any run.
MAX_COUNT = 2**31 - 1
MAX_SECONDS = 31 * 24 * 3600.0
SLUG = r"[a-z0-9][a-z0-9._-]{0,63}"


def _inside_repository(path: str) -> str:
    resolved = paths.resolve(path).resolve()
    if not resolved.is_relative_to(paths.REPOSITORY):
        raise ValueError(f"got {shown(path)}, expected a path inside the repository")
    return path


Slug = Annotated[str, Field(pattern=f"^{SLUG}$")]
Seconds = Annotated[float, BeforeValidator(units.seconds), Field(gt=0, le=MAX_SECONDS)]
Fraction = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(strict=True, ge=1, le=MAX_COUNT)]
Amount = Annotated[float, Field(gt=0, allow_inf_nan=False)]
EnvName = Annotated[str, Field(pattern=r"^[A-Z_][A-Z0-9_]*$")]
InsideRepository = Annotated[str, AfterValidator(_inside_repository)]


class Strict(BaseModel):
    """A part of a params file: unknown keys are refused, nothing changes later."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)
