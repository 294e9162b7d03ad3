"""Of other packages only public interfaces are used: what they keep to themselves changes without notice."""

import ast
import importlib
import re
from collections.abc import Iterator

from ycsbook import paths

FILES = sorted((paths.REPOSITORY / "lib" / "ycsbook").rglob("*.py"))
# Named and described in the documentation of Python or of IPython, whatever their names look like.
DOCUMENTED = frozenset(
    {"_exit", "_replace", "_asdict", "_fields", "_make", "_fields_", "_pack_", "_generate_next_value_"}
)
DISPLAYED = re.compile(r"_(repr_\w+|ipython_display)_")
BY_NAME = frozenset({"getattr", "hasattr", "setattr", "delattr"})
CHANGES_A_MAPPING = frozenset({"pop", "popitem", "clear", "update", "setdefault", "__setitem__", "__delitem__"})


def is_private(name: str) -> bool:
    return (
        name.startswith("_") and not name.endswith("__") and name != "_"
        and name not in DOCUMENTED and not DISPLAYED.fullmatch(name)
    )  # fmt: skip


def is_ours(node: ast.Import | ast.ImportFrom, module: str) -> bool:
    return module.partition(".")[0] == "ycsbook" or bool(getattr(node, "level", 0))


def names_given(tree: ast.AST) -> Iterator[str]:
    """The names that a module gives to something: what it defines, assigns or takes as an argument."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name


def is_sys_modules(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "modules" and ast.unparse(node.value) == "sys"


def private_uses(tree: ast.AST, ours: set[str]) -> Iterator[tuple[int, str]]:
    """Where a module uses what others keep to themselves, by line.

    Parameters
        ours: names that this package gives; an underscored one that it does not is somebody else's.
    """
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                modules = [alias.name for alias in names]
                private = [m for m in modules if not is_ours(node, m) and any(map(is_private, m.split(".")))]
            case ast.ImportFrom(module=module, names=names) if not is_ours(node, module or ""):
                parts = [*module.split("."), *(alias.name for alias in names)]
                private = [f"{module}: {part}" for part in parts if is_private(part)]
            case ast.Attribute(attr=name) if is_private(name) and name not in ours:
                private = [ast.unparse(node)]
            case ast.Call(func=ast.Name(id=called), args=[_, ast.Constant(value=str(name)), *_]):
                used = called in BY_NAME and is_private(name) and name not in ours
                private = [ast.unparse(node)] if used else []
            case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()) if is_sys_modules(value):
                private = [ast.unparse(node)]
            case ast.Call(func=ast.Attribute(value=value, attr=name)) if is_sys_modules(value):
                private = [ast.unparse(node)] if name in CHANGES_A_MAPPING else []
            case _:
                private = []
        yield from ((node.lineno, text) for text in private)


def test_no_private_name_of_another_package_is_used():
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}
    ours = {name for tree in trees.values() for name in names_given(tree)}
    uses = {
        f"{path.relative_to(paths.REPOSITORY)}:{line}": text
        for path, tree in trees.items()
        for line, text in private_uses(tree, ours)
    }
    assert uses == {}


def classes_of_ours() -> set[type]:
    modules = [".".join(path.relative_to(paths.REPOSITORY / "lib").with_suffix("").parts) for path in FILES]
    loaded = [importlib.import_module(name.removesuffix(".__init__")) for name in modules]
    return {c for module in loaded for c in vars(module).values() if isinstance(c, type) and c.__module__ in modules}


def test_no_private_method_of_another_package_is_replaced():
    replaced = set()
    for cls in classes_of_ours():
        theirs = [base for base in cls.__mro__ if not base.__module__.startswith("ycsbook")]
        for name in filter(is_private, vars(cls)):
            # What a library's own metaclass puts into a class of ours is not ours.
            is_written = getattr(vars(cls)[name], "__module__", None) == cls.__module__
            replaced |= {f"{cls.__qualname__}.{name} of {base}" for base in theirs if is_written and name in vars(base)}
    assert replaced == set()
