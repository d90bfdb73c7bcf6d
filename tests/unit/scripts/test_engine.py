"""Which engine is used, and what is said where there is none."""

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.engine.addresses import Answer, addresses, ask, chosen_address, context_address, exports, ping
from scripts.engine.machine import Machine, is_debian, obstacle
from scripts.engine.own import (
    Folder,
    dockerd_command,
    forget_the_dead,
    last_complaint,
    mounts_below,
    our_pid,
    state_folder,
)

OWN = "unix:///state/engine/docker.sock"
HOME = Path("/home/ana")


class TestWhereToAsk:
    def test_a_named_engine_is_the_only_one(self) -> None:
        assert chosen_address({"DOCKER_HOST": "tcp://a"}) == "tcp://a"
        assert chosen_address({"DOCKER_HOST": "tcp://a", "FENCEPOST_DOCKER__HOST": "tcp://b"}) == "tcp://b"
        assert chosen_address({"DOCKER_HOST": ""}) is None

    def test_our_own_comes_last(self) -> None:
        found = addresses(OWN, HOME, {"XDG_RUNTIME_DIR": "/run/user/1"}, "unix:///context")
        assert found == [
            "unix:///context",
            "unix:///var/run/docker.sock",
            "unix:///run/user/1/docker.sock",
            "unix:///home/ana/.docker/run/docker.sock",
            OWN,
        ]

    def test_no_address_is_asked_twice(self) -> None:
        found = addresses(OWN, HOME, {}, "unix:///var/run/docker.sock")
        assert found[0] == "unix:///var/run/docker.sock"
        assert len(found) == len(set(found)) == 3

    def test_the_context_in_use_is_read_from_dockers_files(self, tmp_path: Path) -> None:
        for name in ("colima", "desktop"):
            meta = tmp_path / "contexts" / "meta" / name / "meta.json"
            meta.parent.mkdir(parents=True)
            meta.write_text(json.dumps({"Name": name, "Endpoints": {"docker": {"Host": f"unix:///{name}"}}}))
        (tmp_path / "config.json").write_text('{"currentContext": "colima"}')
        assert context_address(tmp_path, {}) == "unix:///colima"
        assert context_address(tmp_path, {"DOCKER_CONTEXT": "desktop"}) == "unix:///desktop"
        assert context_address(tmp_path, {"DOCKER_CONTEXT": "default"}) is None

    @pytest.mark.parametrize("text", ["", "{", "[]", "{}"])
    def test_without_a_readable_context_there_is_none(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "config.json").write_text(text)
        assert context_address(tmp_path, {}) is None
        assert context_address(tmp_path / "nowhere", {}) is None

    def test_later_steps_are_given_the_address_under_both_names(self) -> None:
        assert exports(OWN) == {"DOCKER_HOST": OWN, "FENCEPOST_DOCKER__HOST": OWN}


class TestAsking:
    @pytest.fixture
    def server(self, tmp_path: Path) -> Iterator[tuple[str, list[bytes]]]:
        """A socket that gives the answers in the list, one a connection."""
        answers: list[bytes] = []
        path = tmp_path / "s"
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(path))
            listening.listen()

            def serve() -> None:
                while True:
                    try:
                        connection, _ = listening.accept()
                    except OSError:
                        return
                    with connection:
                        connection.recv(1000)
                        connection.sendall(answers.pop(0))

            thread = threading.Thread(target=serve)
            thread.start()
            yield f"unix://{path}", answers
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()

    def test_an_engine_answers(self, server: tuple[str, list[bytes]]) -> None:
        address, answers = server
        answers.append(b"HTTP/1.0 200 OK\r\n\r\nOK")
        assert ping(address) is Answer.YES

    @pytest.mark.parametrize("answer", [b"HTTP/1.0 500 Internal Server Error\r\n\r\n", b"hello", b""])
    def test_something_else_is_no_engine(self, server: tuple[str, list[bytes]], answer: bytes) -> None:
        address, answers = server
        answers.append(answer)
        assert ping(address) is Answer.NO

    def test_a_missing_or_dead_socket_is_no_engine(self, tmp_path: Path) -> None:
        assert ping(f"unix://{tmp_path}/none") is Answer.NO
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(tmp_path / "dead"))
        assert ping(f"unix://{tmp_path}/dead") is Answer.NO

    def test_the_first_that_answers_is_taken(self, server: tuple[str, list[bytes]], tmp_path: Path) -> None:
        address, answers = server
        answers.append(b"HTTP/1.0 200 OK\r\n\r\nOK")
        assert ask([f"unix://{tmp_path}/none", address, "unix:///never/asked"]) == (address, [])
        assert ask([f"unix://{tmp_path}/none"]) == (None, [])


class TestWhatIsPossible:
    @pytest.mark.parametrize(
        "machine",
        [
            Machine("Linux", debian=True, dockerd=False, become_root=()),
            Machine("Linux", debian=True, dockerd=False, become_root=("sudo", "-n")),
            Machine("Linux", debian=False, dockerd=True, become_root=()),
        ],
    )
    def test_an_engine_can_be_started(self, machine: Machine) -> None:
        assert obstacle(machine, []) is None
        assert obstacle(machine, ["unix:///var/run/docker.sock"]) is None

    @pytest.mark.parametrize(
        ("machine", "denied", "fix"),
        [
            (Machine("Darwin", debian=False, dockerd=False, become_root=()), [], "Docker Desktop, OrbStack or colima"),
            (Machine("Linux", debian=True, dockerd=False, become_root=None), [], "apt-get install docker.io"),
            (Machine("Linux", debian=True, dockerd=True, become_root=None), ["unix:///s"], "usermod -aG docker"),
            (Machine("Linux", debian=False, dockerd=False, become_root=()), [], "install Docker Engine"),
            (Machine("FreeBSD", debian=False, dockerd=False, become_root=None), [], "DOCKER_HOST"),
        ],
    )
    def test_where_not_three_lines_say_what_why_and_what_to_do(
        self, machine: Machine, denied: list[str], fix: str
    ) -> None:
        lines = str(obstacle(machine, denied)).splitlines()
        assert [line.split(":")[0].strip() for line in lines] == ["error", "why", "fix"]
        assert fix in lines[2]

    @pytest.mark.parametrize(
        ("text", "debian"),
        [
            ("ID=debian\n", True),
            ('NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian\n', True),
            ('ID=linuxmint\nID_LIKE="ubuntu debian"\n', True),
            ("ID=fedora\n", False),
            ("NAME=not-debian\nID=arch\n\n# a remark\n", False),
        ],
    )
    def test_debian_and_its_kin_are_known(self, tmp_path: Path, text: str, debian: bool) -> None:
        (tmp_path / "os-release").write_text(text)
        assert is_debian(tmp_path / "os-release") is debian
        assert not is_debian(tmp_path / "nowhere")


class TestOurOwn:
    def test_the_state_lies_outside_the_checkout(self) -> None:
        assert state_folder({}, 0) == Path("/var/lib/fencepost")
        assert state_folder({"HOME": "/home/ana"}, 1000) == Path("/home/ana/.local/state/fencepost")
        assert state_folder({"XDG_STATE_HOME": "/s"}, 1000) == Path("/s/fencepost")
        assert state_folder({"FENCEPOST_STATE": "/mine"}, 0) == Path("/mine")

    def test_it_shares_nothing_with_the_systems_docker(self) -> None:
        command = dockerd_command(Folder(Path("/state")), firewall=True)
        places = [part.split("=")[1].removeprefix("unix://") for part in command if "/" in part]
        assert len(places) == 4
        assert all(place.startswith("/state/") for place in places)
        assert "--containerd-namespace=fencepost" in command
        assert "--bridge=none" in command

    def test_it_writes_firewall_rules_only_where_that_works(self) -> None:
        assert "--iptables=false" in dockerd_command(Folder(Path("/state")), firewall=False)
        assert "--iptables=false" not in dockerd_command(Folder(Path("/state")), firewall=True)

    def test_only_a_process_started_with_our_pid_file_is_ours(self, tmp_path: Path) -> None:
        folder = Folder(tmp_path)
        assert our_pid(folder) is None
        program = [sys.executable, "-c", "import sys; print(flush=True); sys.stdin.read()"]
        for arguments, ours in ([f"--pidfile={folder.pidfile}"], True), (["--pidfile=/another"], False):
            with subprocess.Popen([*program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
                assert process.stdout is not None
                process.stdout.readline()
                folder.pidfile.write_text(str(process.pid))
                assert our_pid(folder) == (process.pid if ours else None)
                process.kill()
            assert our_pid(folder) is None

    def test_one_that_is_dying_is_waited_for(self, tmp_path: Path) -> None:
        folder = Folder(tmp_path)
        command = [sys.executable, "-c", "import time; time.sleep(0.5)", f"--pidfile={folder.pidfile}"]
        with subprocess.Popen(command) as process:
            folder.pidfile.write_text(str(process.pid))
            while our_pid(folder) is None:
                pass
            forget_the_dead(folder, ())
            assert not folder.pidfile.exists()

    def test_what_it_leaves_mounted_is_found_and_nothing_else(self) -> None:
        mounts = "\n".join(f"a {point} ext4 rw 0 0" for point in ("/", "/state/data", "/state/data/x", "/states", "/b"))
        assert mounts_below(Path("/state"), mounts) == ["/state/data/x", "/state/data"]
        assert mounts_below(Path("/state"), "") == []

    def test_a_start_that_fails_is_explained_by_the_logs_last_error(self, tmp_path: Path) -> None:
        log = tmp_path / "log"
        log.write_text('level=info msg="a"\nlevel=error msg="the cause"\nlevel=info msg="bye"\n')
        assert "the cause" in last_complaint(log)
        log.write_text("only words\n")
        assert last_complaint(log) == "only words"
        log.write_text("")
        assert last_complaint(log) == "its log is empty"
