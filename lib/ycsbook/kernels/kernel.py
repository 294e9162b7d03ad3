"""A forked kernel under papermill: started by jupyter_client's own manager through a provisioner of ours."""

import asyncio
import atexit
import contextlib
import json
import os
import signal
import sys
import time
from queue import Empty
from typing import Any

from ycsbook.kernels.apart import end_with_parent, fork
from ycsbook.kernels.quick import imports

with imports():
    import zmq
    from ipykernel.kernelspec import get_kernel_dict
    from jupyter_client.asynchronous import AsyncKernelClient
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager
    from jupyter_client.provisioning import LocalProvisioner
    from traitlets import default

_POLL_S = 0.01
_CLIENT = f"{__name__}._Client"
_INLINE = "module://matplotlib_inline.backend_inline"


class Embryo:
    """A process that waits to become a kernel; forked while its parent has no thread yet."""

    def __init__(self) -> None:
        readable, self._writable = os.pipe()
        self.pid = fork()
        if self.pid == 0:
            _become(readable)
        os.close(readable)
        self.returncode: int | None = None
        self.stdin = self.stdout = self.stderr = None

    def wake(self, arguments: list[str], env: dict[str, str], cwd: str) -> None:
        """Let it become a kernel with these arguments of ipykernel, environment and working folder."""
        with os.fdopen(self._writable, "w", encoding="utf-8") as pipe:
            json.dump({"arguments": arguments, "env": env, "cwd": cwd}, pipe)

    # What jupyter_client asks of a process.

    def poll(self) -> int | None:
        """The exit code, negative for the signal that ended it; None while it runs."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Signal the kernel and what it started; one that has ended hears nothing."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)


class _Provisioner(LocalProvisioner):
    """Wakes the embryo instead of starting a program; everything else is as with a local kernel."""

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> dict[str, Any]:
        embryo: Embryo = self.parent.embryo
        # All before -f starts Python and ipykernel, which are here already.
        env = {**(kwargs.get("env") or os.environ), "JPY_PARENT_PID": str(os.getpid())}
        embryo.wake(cmd[cmd.index("-f") :], env, kwargs.get("cwd") or os.getcwd())
        self.process, self.pid, self.pgid = embryo, embryo.pid, None
        return self.connection_info

    async def wait(self) -> int | None:
        if self.process is None:
            return 0
        while (code := self.process.poll()) is None:
            await asyncio.sleep(_POLL_S)
        self.process = None
        return code


class _Client(AsyncKernelClient):
    """As its parent, but it goes on when the kernel says that it is idle, not 0.2 s later."""

    @default("context")
    def _context_of_client(self) -> zmq.Context:
        return _impatient(super()._context_default())

    async def wait_for_ready(self, timeout: float | None = None) -> None:
        """Wait until the kernel answers and its outputs reach us.

        Raises
            RuntimeError: it ended, or did not answer within `timeout` seconds.
        """
        limit = time.monotonic() + (float("inf") if timeout is None else timeout)
        while not await self._heard(self.kernel_info()):
            if not await self._async_is_alive():
                raise RuntimeError("the kernel ended before it answered")
            if time.monotonic() > limit:
                raise RuntimeError(f"the kernel did not answer within {timeout:g} s")

    async def _heard(self, asked: str) -> bool:
        """Whether a question was answered and its outputs have come, to the last of them."""
        try:
            reply = await self.shell_channel.get_msg(timeout=1)
            while True:
                # Nothing of it: the channel was not connected yet when the kernel spoke.
                said = await self.iopub_channel.get_msg(timeout=0.2)
                if said["parent_header"].get("msg_id") == asked and said["content"].get("execution_state") == "idle":
                    break
        except Empty:
            return False
        self._handle_kernel_info_reply(reply)
        return True


def manager(embryo: Embryo) -> type[AsyncKernelManager]:
    """The class of a manager whose one kernel is this embryo, for papermill's `kernel_manager_class`."""
    woken = embryo

    class Manager(AsyncKernelManager):
        embryo = woken
        # What is forked is ipykernel, whatever kernels are installed for this user.
        kernel_spec = KernelSpec(**get_kernel_dict())

        @default("context")
        def _context_of_manager(self) -> zmq.Context:
            return _impatient(super()._context_default())

        client_class = _CLIENT
        client_factory = _Client

        async def _async_wait(self, pollinterval: float = _POLL_S) -> None:
            await super()._async_wait(min(pollinterval, _POLL_S))

        async def _async_pre_start_kernel(self, **kwargs: Any) -> Any:
            if self.provisioner is None:
                self.provisioner = _Provisioner(
                    kernel_id=self.kernel_id or "forked", kernel_spec=self.kernel_spec, parent=self
                )
            return await super()._async_pre_start_kernel(**kwargs)

    return Manager


def _impatient(context: zmq.Context) -> zmq.Context:
    """The context, whose sockets look for the kernel again soon: it is being made when they first do."""
    context.setsockopt(zmq.RECONNECT_IVL, int(_POLL_S * 1000))
    return context


def _become(readable: int) -> None:
    """The embryo's life: wait, become a kernel, end as kernels do."""
    code = 1
    try:
        end_with_parent()
        os.setsid()
        # Whoever waits for the end of one of these pipes must not wait for the kernel.
        os.closerange(3, readable)
        os.closerange(readable + 1, os.sysconf("SC_OPEN_MAX"))
        with os.fdopen(readable, encoding="utf-8") as pipe:
            text = pipe.read()
        if not text:
            return  # whoever wanted a kernel is gone
        told = json.loads(text)
        # Exit handlers of the process that was forked are none of a kernel's.
        atexit._clear()
        for number in (signal.SIGTERM, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.environ.clear()
        os.environ.update(told["env"])
        os.chdir(told["cwd"])
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nothing, standard)
        sys.argv = ["ipykernel_launcher", *told["arguments"]]
        code = _serve()
    finally:
        os._exit(code)


def _serve() -> int:
    from ipykernel.kernelapp import IPKernelApp

    if matplotlib := sys.modules.get("matplotlib"):
        # Loaded before this was a kernel, it has not seen what kernels draw with.
        matplotlib.rcParams["backend"] = os.environ.setdefault("MPLBACKEND", _INLINE)
    try:
        IPKernelApp.launch_instance(sys.argv[1:])
    except SystemExit as e:
        return int(e.code or 0)
    finally:
        # Its threads may then wait for each other, seconds long; the end of the process closes what it would close.
        atexit.unregister(IPKernelApp.instance().close)
        atexit._run_exitfuncs()
    return 0
