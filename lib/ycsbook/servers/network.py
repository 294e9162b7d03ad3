"""A network for servers on this machine: each in a namespace, joined by a switch, so that one can be cut off.

                 this machine
                      |
    member 0 ------ switch ------ member 1 ...

Namespaces have no names: each is held by a process of the guard's, and the kernel removes it with its links when the
last process in it has ended. Nothing is left, however a run ends.
"""

import contextlib
import ctypes
import ipaddress
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psutil

from ycsbook import processes
from ycsbook.errors import ToolError, shown
from ycsbook.processes import Guard

# Set aside for measurements of networks (RFC 2544); each network of ours takes sixteen addresses of it.
_RANGE = ipaddress.ip_network("198.18.0.0/15")
_PREFIX = 28
_CLONE_NEWNET = 0x40000000
_START_LIMIT_S = 5.0
_POLL_S = 0.01
_SWITCH = "switch0"


class PrivateNetwork:
    """So many namespaces with an address each, which this machine reaches and which reach each other, held by processes
    of the guard. Raises ToolError where this machine or this user cannot make them."""

    def __init__(self, guard: Guard, size: int):
        if os.geteuid() != 0:
            raise ToolError("a network of its own for each member needs root; start as root")
        self._ports = [f"member{i}" for i in range(size)]
        with contextlib.ExitStack() as started:
            holders = [_holder(guard, started) for _ in range(size + 1)]
            switch, *members = (holder.pid for holder in holders)
            network = _free_network()
            bridge_address, *self.hosts = (str(address) for address in list(network.hosts())[: size + 1])
            outside = f"ycs{switch}"
            _ip("link", "add", outside, "type", "veth", "peer", "name", "outside", "netns", str(switch))
            _ip("link", "add", _SWITCH, "type", "bridge", inside=switch)
            _ip("link", "set", _SWITCH, "up", inside=switch)
            _ip("link", "set", "dev", "outside", "master", _SWITCH, "up", inside=switch)
            _ip("address", "add", f"{bridge_address}/{_PREFIX}", "dev", outside)
            _ip("link", "set", "dev", outside, "up")
            for port, member, host in zip(self._ports, members, self.hosts, strict=True):
                _ip("link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", str(member), inside=switch)
                _ip("link", "set", "dev", port, "master", _SWITCH, "up", inside=switch)
                _ip("address", "add", f"{host}/{_PREFIX}", "dev", "eth0", inside=member)
                _ip("link", "set", "dev", "lo", "up", inside=member)
                _ip("link", "set", "dev", "eth0", "up", inside=member)
            started.pop_all()  # from now on they are the guard's
        self._switch, self._members = switch, members

    def place(self, member: int) -> dict[str, Any]:
        """`host`, the member's address, and `namespace`, the process that holds its namespace."""
        return {"host": self.hosts[member], "namespace": self._members[member]}

    def set_link(self, member: int, state: str) -> None:
        """Take a member's link `down`, after which nobody reaches it and it reaches nobody, or `up` again."""
        _ip("link", "set", "dev", self._ports[member], state, inside=self._switch)

    def set_barrier(self, member: int, verb: str) -> None:
        """Cut a member off from the others (`add`), while this machine still reaches all, or undo it (`del`)."""
        for other in set(range(len(self.hosts))) - {member}:
            for source, target in ((other, member), (member, other)):
                _ip("route", verb, "blackhole", f"{self.hosts[target]}/32", inside=self._members[source])


def entering(namespace: int) -> list[str]:
    """The start of a command that runs in the namespace of a process."""
    return ["nsenter", f"--net=/proc/{namespace}/ns/net", "--"]


def inside(namespace: int | None, function: Callable[[], None]) -> None:
    """Call a function in a thread of its own in the namespace; None: here. Raises ToolError where that is gone."""

    def entered() -> None:
        try:
            with open(f"/proc/{namespace}/ns/net", "rb") as file:
                if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), _CLONE_NEWNET):
                    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        except OSError as e:
            raise ToolError(f"the namespace of process {namespace} cannot be entered: {e.strerror}") from None
        function()

    if namespace is None:
        function()
    else:
        with ThreadPoolExecutor(max_workers=1) as thread:
            thread.submit(entered).result()


def _holder(guard: Guard, started: contextlib.ExitStack):
    ours = os.stat("/proc/self/ns/net").st_ino
    process = guard.start(["unshare", "--net", "--", "sleep", "infinity"], grace_s=0.0)
    started.callback(process.stop, 0.0)
    for _ in processes.polls(_START_LIMIT_S, _POLL_S):
        with contextlib.suppress(OSError):
            if os.stat(f"/proc/{process.pid}/ns/net").st_ino != ours:
                return process
        if process.poll() is not None:
            break
    raise ToolError("network namespaces cannot be made here; start on a machine or in a container that allows them")


def _free_network() -> ipaddress.IPv4Network:
    """Sixteen addresses that no link of this machine uses; two runners that start at once get different ones."""
    used = [
        ipaddress.ip_address(address.address)
        for addresses in psutil.net_if_addrs().values()
        for address in addresses
        if address.family.name == "AF_INET"
    ]
    networks = list(_RANGE.subnets(new_prefix=_PREFIX))
    first = os.getpid() % len(networks)
    free = (n for n in networks[first:] + networks[:first] if not any(address in n for address in used))
    if network := next(free, None):
        return network
    raise ToolError(f"{_RANGE}: all addresses are taken; remove links of which nobody needs the addresses (ip address)")


def _ip(*arguments: str, inside: int | None = None) -> None:
    before = entering(inside) if inside is not None else []
    result = processes.output(
        [*before, "ip", *arguments], advice="install it (Debian and Ubuntu: apt install iproute2)"
    )
    if result.returncode:
        raise ToolError(f"ip {' '.join(arguments)}: {shown(result.stderr.strip())}; network links cannot be made here")
