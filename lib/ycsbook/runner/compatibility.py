"""Whether the load generator's driver can speak with a server, asked before anything is loaded."""

from ycsbook.errors import ToolError, shown
from ycsbook.runner.generator import Generator
from ycsbook.servers import tls
from ycsbook.servers.kind import Target

# The oldest server by the driver's major version, as its own constants and MongoDB's table of compatibility have it.
# Python's driver, which asks the server first, refuses what is older than 4.4 by itself.
OLDEST_SERVER = {5: (4, 2), 4: (3, 0), 3: (2, 6)}


def check(generator: Generator, target: Target) -> None:
    """Refuse a pair that would fail once the JVM has started, or wait until it does.

    Raises
        ToolError: the server is older than the driver speaks, or its URI names TLS files, which the binding of an
            official distribution does not read.
    """
    driver, server = _numbers(generator.driver_version), _numbers(target.version)
    oldest = OLDEST_SERVER.get(driver[0]) if driver else None
    if oldest is not None and server and server < oldest:
        raise ToolError(
            f"{target.reach}: MongoDB {shown(target.version)} is older than the driver {generator.driver_version} "
            f"speaks ({oldest[0]}.{oldest[1]}); upgrade it, or set YCSB_HOME to a YCSB distribution with an older one"
        )
    if generator.official and tls.needs_files(target.uri):
        raise ToolError(
            f"{target.reach}: its URI names TLS files, which the MongoDB binding of YCSB_HOME={generator.home} does "
            "not read; unset YCSB_HOME to use the project's own binding"
        )


def _numbers(version: str) -> tuple[int, ...]:
    """The first two numbers of a version; empty where it is none."""
    parts = version.split(".")[:2]
    return tuple(map(int, parts)) if all(part.isdigit() for part in parts) else ()
