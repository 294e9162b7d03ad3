"""What the endings of files' names say."""

PACKED = (".gz", ".zst")
TEXT_SUFFIXES = (".log", ".txt", ".dat", ".tsv")
STREAM_SUFFIXES = (".out", ".err", ".stdout", ".stderr")
LOG_SUFFIXES = STREAM_SUFFIXES + TEXT_SUFFIXES
HDR_SUFFIX = ".hdr"


def unpacked(name: str) -> str:
    """The name without what it is packed in.

    Examples
        >>> unpacked("run.out.gz"), unpacked("run.out")
        ('run.out', 'run.out')
    """
    if name.endswith(PACKED):  # few are
        for ending in PACKED:
            name = name.removesuffix(ending)
    return name


def split(name: str) -> tuple[str, str]:
    """An unpacked name without its ending, and the ending in lower case.

    Examples
        >>> split("RUN.1.TXT"), split("run"), split(".hidden")
        (('RUN.1', '.txt'), ('run', ''), ('.hidden', ''))
    """
    stem, _, ending = name.rpartition(".")
    return (stem, f".{ending}".lower()) if stem.strip(".") else (name, "")


def suffix(name: str) -> str:
    """The ending of the unpacked name, in lower case.

    Examples
        >>> suffix("RUN.TXT.gz")
        '.txt'
    """
    return split(unpacked(name))[1]
