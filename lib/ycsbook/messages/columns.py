"""Facts in tables: a key and its values in two columns, and beside them an English sentence for people."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ycsbook.facts import Fact, from_json
from ycsbook.messages.catalogue import say

if TYPE_CHECKING:
    import pandas as pd

# The column for the English sentence of a fact, where it is not called as the fact is.
_SENTENCES = {"advice": "next_step"}


def fact_of(row: Mapping, name: str) -> Fact:
    """The fact that a row of a table holds in its columns NAME_key and NAME_values."""
    return from_json(str(row[f"{name}_key"]), str(row[f"{name}_values"]))


def facts_of(table: "pd.DataFrame", name: str) -> list[Fact]:
    """The facts of all rows of a table."""
    pairs = zip(table[f"{name}_key"], table[f"{name}_values"], strict=True)
    return [from_json(key, values) for key, values in pairs]


def worded(table: "pd.DataFrame") -> "pd.DataFrame":
    """The table with its facts said in English in the columns for people, which no program reads."""
    # Not needed to say a fact, and slow to load.
    import pandas as pd

    sentences = {}
    for name in (c.removesuffix("_key") for c in table.columns if c.endswith("_key")):
        pairs = zip(table[f"{name}_key"], table[f"{name}_values"], strict=True)
        texts = [say(from_json(key, values)) if key else "" for key, values in pairs]
        sentences[_SENTENCES.get(name, name)] = pd.Series(texts, index=table.index, dtype="str")
    return table.assign(**sentences)
