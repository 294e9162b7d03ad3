"""How much of a folder of YCSB logs is read as columns: `python tests/bench/share.py FOLDER` prints JSON.

`bytes` of all logs; `status_bytes`: of files whose status lines are read as columns; `whole_bytes`: of logs that are
read as columns altogether, summary included.
"""

import json
import sys
from pathlib import Path

from ycsbook.ingest.finding import detect
from ycsbook.ingest.readers import ycsb_batch
from ycsbook.ingest.runs import clean_logs

BATCH = 200


def share(folder: Path) -> dict[str, int]:
    items = detect.find([folder])[0]
    sums = dict.fromkeys(("bytes", "status_bytes", "whole_bytes"), 0)
    for start in range(0, len(items), BATCH):
        candidates, sizes = [], []
        for item in items[start : start + BATCH]:
            contents = [path.read_bytes() for path in item.files]
            parts = ycsb_batch.read([ycsb_batch.split(content) for content in contents])
            size = sum(map(len, contents))
            sums["bytes"] += size
            sums["status_bytes"] += size if any(parts) else 0
            if candidate := clean_logs.candidate(item.files, contents, parts):
                candidates.append(candidate)
                sizes.append(size)
        read = clean_logs.read(candidates)
        sums["whole_bytes"] += sum(size for size, alike in zip(sizes, read, strict=True) if alike)
    return sums


if __name__ == "__main__":
    print(json.dumps(share(Path(sys.argv[1]))))
