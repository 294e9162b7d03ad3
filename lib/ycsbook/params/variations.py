"""Settings that a sweep varies, in words."""

from collections.abc import Callable, Mapping

_WORDS: Mapping[str, Callable[[object], str]] = {
    "records": lambda value: f"{_number(value)} records",
    "field_count": lambda value: f"{_number(value)} fields",
    "field_length": lambda value: f"fields of {_number(value)} B",
    "insert_order": lambda value: f"{value} keys",
    "write_concern": lambda value: f"write concern {value}",
    "read_preference": lambda value: f"reads from {value}",
    "upsert": lambda value: "upserts" if value else "no upserts",
    "target_ops_s": lambda value: "no target" if value is None else f"target {_number(value)} ops/s",
    "clients": lambda value: "1 client" if value == 1 else f"{_number(value)} clients",
}


def words(name: str, value: object) -> str:
    """A setting and its value, for people.

    Examples
        >>> words("target_ops_s", 1000.0), words("write_concern", "majority")
        ('target 1,000 ops/s', 'write concern majority')
    """
    return _WORDS[name](value) if name in _WORDS else f"{name} {value}"


def text(settings: Mapping[str, object]) -> str:
    """All of them, as a plan shows them; empty where nothing varies."""
    return ", ".join(words(name, value) for name, value in settings.items())


def _number(value: object) -> str:
    return f"{value:,.12g}" if isinstance(value, int | float) else str(value)
