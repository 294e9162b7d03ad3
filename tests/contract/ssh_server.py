"""An SSH server on loopback that carries out what it is told, with keys of its own: python ssh_server.py HOME

Writes HOME/.ssh/{id_ed25519,known_hosts} for its client, then its port to HOME/port. As sshd does, it leaves running
what a client started that went away.
"""

import asyncio
import sys
from pathlib import Path

import asyncssh


async def carry_out(process: asyncssh.SSHServerProcess) -> None:
    child = await asyncio.create_subprocess_shell(
        process.command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    await process.redirect(stdout=child.stdout, stderr=child.stderr)
    code = await child.wait()
    # What it printed goes first: writing to a channel that is closed would end the whole connection.
    await process.stdout.drain()
    await process.stderr.drain()
    process.exit(code)


async def main(home: Path) -> None:
    host_key, own_key = asyncssh.generate_private_key("ssh-ed25519"), asyncssh.generate_private_key("ssh-ed25519")
    keys = asyncssh.import_authorized_keys(own_key.export_public_key().decode())
    server = await asyncssh.listen(
        "127.0.0.1", 0, server_host_keys=[host_key], authorized_client_keys=keys, process_factory=carry_out,
        encoding=None,
    )  # fmt: skip
    ssh = home / ".ssh"
    ssh.mkdir(mode=0o700)
    own_key.write_private_key(str(ssh / "id_ed25519"))
    (ssh / "id_ed25519").chmod(0o600)
    public = host_key.export_public_key().decode().strip()
    (ssh / "known_hosts").write_text(f"[127.0.0.1]:{server.get_port()} {public}\n")
    (home / "port.new").write_text(str(server.get_port()))
    (home / "port.new").rename(home / "port")
    await server.wait_closed()


asyncio.run(main(Path(sys.argv[1])))
