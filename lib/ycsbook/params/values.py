"""The kinds of value a params file holds."""

import math
import re
from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from ycsbook import paths, units
from ycsbook.errors import shown

# YCSB counts in Java ints; a month is longer than any run.
MAX_COUNT = 2**31 - 1
MAX_SECONDS = 31 * 24 * 3600.0
SLUG = r"[a-z0-9][a-z0-9._-]{0,63}"
_SWITCH = {"off": False, "on": True}


def in_words(pattern: str, words: str) -> AfterValidator:
    """A validator of texts that must match a pattern; the message names `words` instead of the pattern."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"got {shown(text)}, expected {words}")
        return text

    return AfterValidator(check)


def _no_truth_value(value: Any) -> Any:
    # YAML reads yes and on as true, which is a number as well.
    if isinstance(value, bool):
        raise ValueError(f"got {value}, expected a number")
    return value


def _inside_repository(path: str) -> str:
    resolved = paths.resolve(path).resolve()
    if not any(resolved.is_relative_to(root) for root in (paths.REPOSITORY, paths.SHIPPED)):
        raise ValueError(f"got {shown(path)}, expected a path inside the repository")
    return path


_SYSTEM_PROPERTY = r"-D(?:user\.[a-z]+|file\.encoding|java\.net\.prefer\w+|jdk\.tls\.\w+)=[^\0\n]*"
_FLAG = r"-XX:[+-](?:Use\w+|AlwaysPreTouch|TieredCompilation|DisableExplicitGC|ZGenerational|ExitOnOutOfMemoryError)"
_NUMBER = (
    r"-XX:(?:MaxRAM|\w+(?:Size|Threads|Count|Percent|Percentage|Ratio|Millis|Threshold|Level|Interval|Delay|Limit))"
    r"=[0-9]+(?:\.[0-9]+)?[kKmMgGtT]?"
)
# No option that names a file, a class or a command: a params file may come from somebody else.
_JAVA_OPTION = "|".join(
    (
        r"-X(?:m[sxn]|ss)[0-9]+[kKmMgG]?|-X(?:int|comp|mixed|rs|share:(?:off|auto|on))|-Xlog:[a-z0-9*+,=]+",
        r"--add-(?:opens|exports|reads|modules)=[\w.,/=-]+|--enable-(?:preview|native-access=[\w.,-]+)",
        *(_SYSTEM_PROPERTY, _FLAG, _NUMBER),
    )
)
NUMBER = BeforeValidator(_no_truth_value)
SLUG_WORDS = "up to 64 small letters, digits, '.', '_' and '-', a letter or digit first"
Slug = Annotated[str, in_words(SLUG, SLUG_WORDS)]
Seconds = Annotated[float, BeforeValidator(units.seconds), Field(gt=0, le=MAX_SECONDS)]
Fraction = Annotated[float, NUMBER, Field(ge=0, le=1)]
Count = Annotated[int, Field(strict=True, ge=1, le=MAX_COUNT)]
Amount = Annotated[float, NUMBER, Field(gt=0, allow_inf_nan=False)]
EnvName = Annotated[
    str, in_words(r"[A-Z_][A-Z0-9_]*", "the name of an environment variable in capitals, such as MINE_8C_URI")
]
InsideRepository = Annotated[str, AfterValidator(_inside_repository)]

JavaOption = Annotated[
    str,
    in_words(_JAVA_OPTION, "an option that sets memory, threads, garbage collection or the locale, such as -Xmx4g, "
             "-XX:+UseSerialGC or -XX:ActiveProcessorCount=8; set others in JAVA_HOME's own configuration"),
]  # fmt: skip


class Strict(BaseModel):
    """A part of a params file: unknown keys are refused, nothing changes later."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)


def _unique_names(value: tuple) -> tuple:
    for name, count in Counter(item.name for item in value).items():
        if count > 1:
            raise ValueError(f"the name {name!r} stands twice")
    return value


unique_names = AfterValidator(_unique_names)


def rule_switches(block: object) -> dict[str, bool | dict[str, float]]:
    """The `anomalies` block: of each rule False (off), True (as it is), or its thresholds by name; raises ValueError
    for anything else. Whether there are such rules is checked where they are known (anomalies.settings)."""
    if block is None:
        return {}
    if not isinstance(block, Mapping):
        raise ValueError(f"got {shown(block)}, expected rules by name, such as {{stall: {{seconds: 10}}, warmup: off}}")
    switches = {{False: "off", True: "on"}.get(rule, str(rule)): value for rule, value in block.items()}
    if misplaced := _SWITCH.keys() & switches:
        # YAML's own off and on are truth values.
        raise ValueError(
            f"{min(misplaced)}: got {shown(switches[min(misplaced)])}; name the rule first, such as noise: off"
        )
    return {rule: _rule_switch(rule, value) for rule, value in switches.items()}


def _rule_switch(rule: str, value: object) -> bool | dict[str, float]:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value in _SWITCH:
        return _SWITCH[value]
    if not isinstance(value, Mapping):
        raise ValueError(f"{rule}: got {shown(value)}, expected off, on or thresholds such as {{seconds: 10}}")
    for key, number in value.items():
        if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
            raise ValueError(f"{rule}.{key}: got {shown(number)}, expected a number")
    return {str(key): float(number) for key, number in value.items()}


RuleSwitches = Annotated[dict[str, Any], BeforeValidator(rule_switches)]
