"""What the engine is asked for, read as data."""

import json

import pytest

from executor import naming
from executor.hardening import Identity, SandboxSpec, create_options, memory_bytes, spec_digest
from executor.types import MIB, Limits, SandboxLimits

IDENTITY = Identity("test", "ab" * 32, 100_256)
SPEC = SandboxSpec("image")
COMMAND = ("python3", "-c", "x")
OPTIONS = create_options(SPEC, IDENTITY, "digest", COMMAND)
HOST = OPTIONS["HostConfig"]


def test_the_supervisor_is_root_with_three_capabilities_and_cannot_gain_more() -> None:
    assert OPTIONS["User"] == "0:0"
    assert HOST["CapDrop"] == ["ALL"]
    assert HOST["CapAdd"] == ["SETUID", "SETGID", "KILL"]
    assert HOST["SecurityOpt"] == ["no-new-privileges"]
    assert not HOST["Privileged"]


def test_seccomp_and_apparmor_are_the_engines_own() -> None:
    assert "unconfined" not in json.dumps(OPTIONS)


def test_nothing_of_the_host_is_shared() -> None:
    assert HOST["NetworkMode"] == "none"
    assert HOST["IpcMode"] == "private"
    assert HOST["ReadonlyRootfs"]
    assert {"Binds", "Devices", "PidMode", "UTSMode", "UsernsMode", "CgroupnsMode", "VolumesFrom"}.isdisjoint(HOST)
    assert [mount["Type"] for mount in HOST["Mounts"]] == ["volume"]
    assert "host" not in {HOST["NetworkMode"], HOST["IpcMode"]}


def test_memory_is_what_may_be_used_at_once_without_swap() -> None:
    limits = SandboxLimits(slots=3, workspace_mb=10, tmp_mb=20, shm_mb=30, execution=Limits(memory_mb=100))
    assert memory_bytes(limits) == (300 + 60 + 128) * MIB
    assert HOST["Memory"] == HOST["MemorySwap"] == memory_bytes(SPEC.limits)


def test_processes_files_and_cpus_are_limited() -> None:
    assert HOST["PidsLimit"] == 64 * 4 + 32
    assert HOST["NanoCpus"] == 1_000_000_000
    ulimits = {entry["Name"]: (entry["Soft"], entry["Hard"]) for entry in HOST["Ulimits"]}
    assert ulimits == {"nofile": (512, 512), "fsize": (128 * MIB, 128 * MIB), "core": (0, 0)}


def test_every_writable_place_has_a_size_and_no_setuid() -> None:
    assert HOST["ShmSize"] == 64 * MIB
    assert HOST["Tmpfs"] == {"/tmp": f"rw,nosuid,nodev,exec,size={64 * MIB},nr_inodes=32768,mode=1777"}
    (mount,) = HOST["Mounts"]
    assert (mount["Target"], mount["Source"]) == ("/workspace", IDENTITY.volume)
    assert mount["VolumeOptions"]["DriverConfig"]["Options"] == {
        "type": "tmpfs",
        "device": "tmpfs",
        "o": f"nosuid,nodev,size={128 * MIB},nr_inodes=65536,uid=0,gid=100256,mode=2775",
    }
    assert mount["VolumeOptions"]["Labels"] == {naming.LABEL_INSTANCE: "test"}


def test_the_engine_logs_nothing_and_revives_nothing() -> None:
    assert HOST["LogConfig"]["Type"] == "none"
    assert HOST["RestartPolicy"] == {"Name": "no"}
    assert OPTIONS["Healthcheck"] == {"Test": ["NONE"]}


def test_the_image_decides_nothing_about_the_process() -> None:
    assert OPTIONS["Entrypoint"] == list(COMMAND)
    assert OPTIONS["Cmd"] == []
    assert OPTIONS["WorkingDir"] == "/"
    assert HOST["Init"]


def test_stdin_outlives_whoever_is_attached() -> None:
    assert OPTIONS["OpenStdin"]
    assert not OPTIONS["StdinOnce"]
    assert not OPTIONS["Tty"]


def test_all_that_adoption_needs_is_in_labels() -> None:
    assert OPTIONS["Labels"] == {
        "fencepost.instance": "test",
        "fencepost.spec": "digest",
        "fencepost.token": "ab" * 32,
        "fencepost.uid-base": "100256",
        "fencepost.volume": IDENTITY.volume,
    }


@pytest.mark.parametrize(("runtime", "expected"), [(None, None), ("runsc", "runsc")])
def test_the_runtime_is_the_engines_default_unless_named(runtime: str | None, expected: str | None) -> None:
    options = create_options(SandboxSpec("image", runtime=runtime), IDENTITY, "digest", COMMAND)
    assert options["HostConfig"].get("Runtime") == expected


def test_the_digest_names_everything_but_what_is_a_containers_own() -> None:
    digest = spec_digest(SPEC, COMMAND, "sha256:1")
    assert digest == spec_digest(SandboxSpec("image"), COMMAND, "sha256:1")
    others = {
        spec_digest(SPEC, COMMAND, "sha256:2"),
        spec_digest(SPEC, ("python3",), "sha256:1"),
        spec_digest(SandboxSpec("image", runtime="runsc"), COMMAND, "sha256:1"),
        spec_digest(SandboxSpec("image", SandboxLimits(cpus=2)), COMMAND, "sha256:1"),
    }
    assert len(others | {digest}) == 5
