"""Eve in front of the documents of the crud experiment, with its own defaults."""

import os
from pathlib import Path

from eve import Eve

_TEXT = {"type": "string", "maxlength": 1000}
app = Eve(
    settings={
        # The address holds a password: it stands in a file that only we can read.
        "MONGO_URI": Path(os.environ["GATEWAY_URI_FILE"]).read_text(encoding="utf-8"),
        "MONGO_DBNAME": "ycsb",
        "RESOURCE_METHODS": ["GET", "POST"],
        "DOMAIN": {
            "crud": {
                "item_url": "int",
                "schema": {
                    "_id": {"type": "integer"},
                    "age": {"type": "integer"},
                    **{f"test{i}": _TEXT for i in range(1, 5)},
                },
            }
        },
    }
)
