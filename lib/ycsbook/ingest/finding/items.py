"""What is found to be read: files of one run, table or page."""

from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from ycsbook.ingest.files.scan import Stat, split, unpacked
from ycsbook.ingest.log.labels import settings_of_text

# Logs of several servers, settings or days are often called alike: folders tell them apart, some from further above.
NAMED_FOLDERS, MORE_FOLDERS = 2, 3


class Kind(StrEnum):
    """What is to be read, and how."""

    STORED = "stored"  # a run folder of our own store
    LOG = "log"  # one log, or both streams of one run
    CLIENTS = "clients"  # the logs of several clients of one run
    HDR = "hdr"  # .hdr files of one run without its log
    RAW = "raw"  # raw measurements without their log
    PUBLISHED = "published"  # a vendor's table as CSV with a sidecar
    PAGE = "page"  # a vendor's page
    OWN = "own"  # a CSV of one's own with a row per run

    @property
    def is_loose(self) -> bool:
        """Whether no log claims it by its name; a command line may."""
        return self in (Kind.HDR, Kind.RAW)


class IngestItem(NamedTuple):
    """One thing to read. `files`: stdout before stderr; of a stored run its folder; of several clients none, they are
    in `clients`. `hdr` and `raw` belong to the run by their names. `explicit`: named by the user, not found in a
    folder. `stats`: every file that the result depends on. `place`: of a log, as `places.server` takes it."""

    kind: Kind
    files: tuple[Path, ...]
    hdr: tuple[Path, ...] = ()
    raw: tuple[Path, ...] = ()
    clients: tuple["IngestItem", ...] = ()
    explicit: bool = False
    stats: tuple[Stat, ...] = ()
    place: str = ""

    @property
    def first_file(self) -> Path:
        """The file whose name and folder tell of the run."""
        return (self.files or self.clients[0].files)[0]

    @property
    def name(self) -> str:
        """The first file's name, without packing and ending, behind those of the folders nearest to it, and of others
        that say something of the run."""
        *above, name = [part for part in self.first_file.parts if part.strip("./")]
        near = len(above) - NAMED_FOLDERS
        folders = [
            part for i, part in enumerate(above) if i >= near or (i >= near - MORE_FOLDERS and settings_of_text(part))
        ]
        return "-".join([*folders, split(unpacked(name))[0]])
