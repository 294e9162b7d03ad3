"""How big the code is, printed: `make counts`. Nothing here judges; CONTRIBUTING.md says what is aimed at."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import grimp

REPOSITORY = Path(__file__).parents[1]
PACKAGE = REPOSITORY / "lib" / "ycsbook"
ENVIRONMENT = REPOSITORY / ".venv"
LARGEST = 10


def main() -> None:
    modules = {path: path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
    lines = {path.relative_to(PACKAGE).as_posix(): text.count("\n") for path, text in modules.items()}
    show("lib/ycsbook", f"{sum(lines.values()):,} lines of Python in {len(lines)} files")
    others = [path for path in PACKAGE.rglob("*.*") if path.is_file() and path.suffix not in (".py", ".pyc", ".so")]
    texts = Counter(path.suffix for path in others for _ in path.read_text(encoding="utf-8").splitlines())
    show("", "besides, lines of " + ", ".join(f"{suffix} {count:,}" for suffix, count in texts.most_common()))
    for package, count in by_package(lines).most_common():
        show("", f"{count:6,}  {package}")
    show("largest modules", ", ".join(f"{name} {count}" for name, count in Counter(lines).most_common(LARGEST)))
    alone = sorted(with_one_importer())
    show("one importer", f"{len(alone)} modules that no other than this one imports:")
    for name, importer in alone:
        show("", f"  {name} <- {importer}")
    inside = [f"{path.relative_to(PACKAGE)}:{line}" for path, text in modules.items() for line in imports_inside(text)]
    show("inside functions", f"{len(inside)} imports of our own modules")
    show("type names", ", ".join(f"{n} {c}x" for n, c in type_names(modules.values()).items() if c > 1) or "all unique")
    tests = [path.read_text(encoding="utf-8") for path in (REPOSITORY / "tests").rglob("*.py")]
    show("tests", f"{sum(text.count(chr(10)) for text in tests):,} lines of Python in {len(tests)} files")
    for lock in sorted(REPOSITORY.glob("requirements*.lock")):
        show(lock.name, f"{len(re.findall(r'^[^ #]*==', lock.read_text(encoding='utf-8'), re.MULTILINE))} packages")
    if ENVIRONMENT.is_dir():
        packages = list(ENVIRONMENT.glob("lib/python3*/site-packages/*.dist-info"))
        show(".venv", f"{megabytes(ENVIRONMENT):,} MB (du -sm), {len(packages)} packages")
        sizes = Counter({path.name: megabytes(path) for path in ENVIRONMENT.glob("lib/python3*/site-packages/*")})
        show("", ", ".join(f"{name} {size}" for name, size in sizes.most_common(LARGEST)))


def show(what: str, figures: str) -> None:
    print(f"{what:24}{figures}")


def by_package(lines: dict[str, int]) -> Counter[str]:
    """Lines per package or module right under ycsbook."""
    totals: Counter[str] = Counter()
    for name, count in lines.items():
        totals[name.split("/")[0]] += count
    return totals


def with_one_importer() -> Iterator[tuple[str, str]]:
    """Modules that exactly one other module imports, with that one; not where it is their own package's __init__."""
    graph = grimp.build_graph("ycsbook", cache_dir=None)
    for module in graph.modules:
        importers = graph.find_modules_that_directly_import(module)
        if len(importers) == 1 and importers != {module.rpartition(".")[0]} and not graph.find_children(module):
            yield module, *importers


def imports_inside(text: str) -> Iterator[int]:
    """Lines of imports of ycsbook's own modules inside functions."""
    tree = ast.parse(text)
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    yield from {
        node.lineno
        for function in functions
        for node in ast.walk(function)
        if (isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "ycsbook")
        or (isinstance(node, ast.Import) and any(alias.name.split(".")[0] == "ycsbook" for alias in node.names))
    }


def type_names(texts: Iterator[str]) -> Counter[str]:
    """How often each public class name is used in the package."""
    classes = (node.name for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef))
    return Counter(name for name in classes if not name.startswith("_"))


def megabytes(place: Path) -> int:
    """What files take on the disk, in MiB as `du -sm` has it: a file linked twice counts once."""
    entries = [path.lstat() for path in (place, *place.rglob("*"))]
    blocks = {(entry.st_dev, entry.st_ino): entry.st_blocks for entry in entries}
    return round(sum(blocks.values()) * 512 / 2**20)


if __name__ == "__main__":
    main()
