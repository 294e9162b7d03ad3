"""The `anomalies` block of a params file: which rules are off, which thresholds are others.

anomalies:
  warmup: off
  stall: {seconds: 10}

Whether there are such rules and thresholds is checked where the rules are known (anomalies.settings).
"""

import math
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator

from ycsbook.errors import shown

_SWITCH = {"off": False, "on": True}


def switches(block: object) -> dict[str, bool | dict[str, float]]:
    """Of each rule False (off), True (as it is), or its thresholds by name.

    Raises
        ValueError: not a mapping of rules; a rule that is neither on, off nor a mapping of numbers.
    """
    if block is None:
        return {}
    if not isinstance(block, Mapping):
        raise ValueError(f"got {shown(block)}, expected rules by name, such as {{stall: {{seconds: 10}}, warmup: off}}")
    named = {{False: "off", True: "on"}.get(rule, str(rule)): value for rule, value in block.items()}
    if misplaced := _SWITCH.keys() & named:
        # YAML's own off and on are truth values.
        raise ValueError(
            f"{min(misplaced)}: got {shown(named[min(misplaced)])}; name the rule first, such as noise: off"
        )
    return {rule: _one(rule, value) for rule, value in named.items()}


def _one(rule: str, value: object) -> bool | dict[str, float]:
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


Anomalies = Annotated[dict[str, Any], BeforeValidator(switches)]
