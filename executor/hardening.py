"""From a channel's limits to the options of its container, as data.

A pure function, so that the whole of what the engine is asked for can be read here and tested without an engine. The
shape is the Docker API's own body of `POST /containers/create`. Why each of it:

- the supervisor is root with SETUID, SETGID and KILL alone, to become a requester's uid and to end it; user code runs
  under other uids with no capability, and `no-new-privileges` keeps setuid files from giving one back;
- seccomp is not mentioned: the engine's default profile then applies (naming it could only weaken it);
- memory is what all slots may use at once plus every tmpfs, which the kernel charges to the container, plus the
  supervisor; swap is equal to memory, which means none;
- logs go nowhere: the engine would write every frame of output to its disk;
- the workspace is a tmpfs in a volume, so that the channel's second container can share it, and its size is the
  kernel's business; nothing of the host is mounted;
- no restart policy: a container that ended is replaced by the pool, never revived behind its back.
"""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from executor import naming
from executor.types import KIB, MIB, SandboxLimits

WORKSPACE = "/workspace"
SUPERVISOR_BYTES = 128 * MIB
"""For the supervisor, its spares and what `preload` imports into them (pandas and matplotlib: about 70 MiB)."""

SUPERVISOR_PROCESSES = 32

CreateOptions = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SandboxSpec:
    """What all containers of a pool have in common. `runtime` names one of the engine's, None is its default."""

    image: str
    limits: SandboxLimits = field(default_factory=SandboxLimits)
    runtime: str | None = None
    environment: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Identity:
    """What one container has of its own. `token` is known to the supervisor and to us only, never to user code."""

    instance: str
    token: str
    uid_base: int

    @property
    def volume(self) -> str:
        return naming.volume_name(self.instance, self.token)


def memory_bytes(limits: SandboxLimits) -> int:
    tmpfs = limits.workspace_mb + limits.tmp_mb + limits.shm_mb
    return (limits.execution.memory_mb * limits.slots + tmpfs) * MIB + SUPERVISOR_BYTES


def spec_digest(spec: SandboxSpec, command: tuple[str, ...], *parts: str) -> str:
    """Names everything a container of this spec is made of; `parts` are the image's id and the supervisor's digest.

    A container with another digest is outdated: its options are compared without what is its own.
    """
    options = create_options(spec, Identity(instance="", token="", uid_base=0), "", command)
    text = json.dumps([options, *parts], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def create_options(spec: SandboxSpec, identity: Identity, digest: str, command: tuple[str, ...]) -> CreateOptions:
    limits = spec.limits
    memory = memory_bytes(limits)
    return {
        "Image": spec.image,
        "Entrypoint": list(command),
        "Cmd": [],
        "User": "0:0",
        "WorkingDir": "/",
        "Hostname": "sandbox",
        "Env": [f"{name}={value}" for name, value in spec.environment],
        "AttachStdin": True,
        "AttachStdout": True,
        "AttachStderr": True,
        "OpenStdin": True,
        "StdinOnce": False,
        "Tty": False,
        "StopSignal": "SIGKILL",
        "Healthcheck": {"Test": ["NONE"]},
        "Labels": {
            naming.LABEL_INSTANCE: identity.instance,
            naming.LABEL_SPEC: digest,
            naming.LABEL_TOKEN: identity.token,
            naming.LABEL_UID_BASE: str(identity.uid_base),
            naming.LABEL_VOLUME: identity.volume,
        },
        "HostConfig": {
            "CapDrop": ["ALL"],
            "CapAdd": ["SETUID", "SETGID", "KILL"],
            "SecurityOpt": ["no-new-privileges"],
            "Privileged": False,
            "ReadonlyRootfs": True,
            "NetworkMode": "none",
            "IpcMode": "private",
            "Init": True,
            "PidsLimit": limits.execution.processes * limits.slots + SUPERVISOR_PROCESSES,
            "Memory": memory,
            "MemorySwap": memory,
            "NanoCpus": round(limits.cpus * 1_000_000_000),
            "OomScoreAdj": 500,
            "Ulimits": [
                {"Name": "nofile", "Soft": limits.open_files, "Hard": limits.open_files},
                {"Name": "fsize", "Soft": limits.execution.file_bytes, "Hard": limits.execution.file_bytes},
                {"Name": "core", "Soft": 0, "Hard": 0},
            ],
            "ShmSize": limits.shm_mb * MIB,
            "Tmpfs": {"/tmp": f"rw,nosuid,nodev,exec,{_size(limits.tmp_mb)},mode=1777"},  # noqa: S108 - inside
            "Mounts": [_workspace(limits, identity)],
            "LogConfig": {"Type": "none", "Config": {}},
            "RestartPolicy": {"Name": "no"},
            **({"Runtime": spec.runtime} if spec.runtime else {}),
        },
    }


def _workspace(limits: SandboxLimits, identity: Identity) -> dict[str, Any]:
    gid = identity.uid_base
    options = f"nosuid,nodev,{_size(limits.workspace_mb)},uid=0,gid={gid},mode=2775"
    return {
        "Type": "volume",
        "Source": identity.volume,
        "Target": WORKSPACE,
        "VolumeOptions": {
            "NoCopy": True,
            "Labels": {naming.LABEL_INSTANCE: identity.instance},
            "DriverConfig": {"Name": "local", "Options": {"type": "tmpfs", "device": "tmpfs", "o": options}},
        },
    }


def _size(mib: int) -> str:
    """Inodes are limited too: an empty file takes no space of a tmpfs but a kilobyte of the kernel."""
    return f"size={mib * MIB},nr_inodes={max(1024, mib * MIB // (2 * KIB))}"
