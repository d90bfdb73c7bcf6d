"""Patterns: `*` at the end of a segment, label or name, narrow where it allows and wide where it refuses."""

import pytest
from pydantic import TypeAdapter, ValidationError

from bot.core.policy.patterns import (
    HostPattern,
    PathPattern,
    VariablePattern,
    host_covers,
    host_hits,
    path_covers,
    path_hits,
    variable_matches,
)


@pytest.mark.parametrize(
    ("pattern", "path", "covered", "hit"),
    [
        ("/tmp/*", "/tmp/a", True, True),
        ("/tmp/*", "/tmp/a/b", True, True),
        ("/tmp/*", "/tmp", False, False),
        ("/tmp/*", "/tmpx/a", False, False),
        ("/tmp/*", "/tmp/.a", False, True),
        ("/tmp/*", "/tmp/a/.git/config", False, True),
        ("/tmp/*/x", "/tmp/a/x", True, True),
        ("/tmp/*/x", "/tmp/a/b/x", False, False),
        ("/tmp/out-*", "/tmp/out-1", True, True),
        ("/tmp/out-*", "/tmp/out-1/x", False, False),
        ("/tmp/.x*", "/tmp/.xy", True, True),
        ("/*", "/etc/passwd", True, True),
        ("/dev/null", "/dev/null", True, True),
        ("/dev/null", "/dev/nullx", False, False),
        ("/tmp/*", "/tmp/../etc", False, True),
        ("/tmp/*", "tmp/a", False, True),
    ],
)
def test_paths(pattern: str, path: str, covered: bool, hit: bool) -> None:
    assert path_covers(pattern, path) is covered
    assert path_hits(pattern, path) is hit


@pytest.mark.parametrize(
    ("pattern", "host", "covered", "hit"),
    [
        ("api.example.com", "api.example.com", True, True),
        ("api.example.com", "api.example.com.evil.test", False, False),
        ("*.example.com", "api.example.com", True, True),
        ("*.example.com", "a.b.example.com", False, False),
        ("*.example.com", "example.com", False, False),
        ("api-*.example.com", "api-2.example.com", True, True),
        ("*", "anything.test", True, True),
        ("*", "[::1]", True, True),
        ("[::1]", "[::1]", True, True),
        ("api.example.com", "api.example.com:8080", False, True),
        ("api.example.com:8080", "api.example.com:8080", True, True),
        ("api.example.com:8080", "api.example.com", False, False),
        ("api.example.com:*", "api.example.com:22", True, True),
    ],
)
def test_hosts(pattern: str, host: str, covered: bool, hit: bool) -> None:
    assert host_covers(pattern, host) is covered
    assert host_hits(pattern, host) is hit


@pytest.mark.parametrize(
    ("pattern", "name", "matches"),
    [
        ("HOME", "HOME", True),
        ("HOME", "HOMER", False),
        ("LC_*", "LC_ALL", True),
        ("*", "PATH", True),
        ("@lower", "name", True),
        ("@lower", "Name", False),
        ("@lower", "https_proxy", False),
        ("@usual", "USER", True),
        ("@usual", "LC_ALL", True),
        ("@usual", "AWS_SECRET_ACCESS_KEY", False),
    ],
)
def test_variables(pattern: str, name: str, matches: bool) -> None:
    assert variable_matches(pattern, name) is matches


@pytest.mark.parametrize("text", ["", "tmp", "tmp/*", "/tmp/../x", "/tmp/*x", "/tmp//x", "/tmp/", "/", "/a\nb", "/./a"])
def test_no_path(text: str) -> None:
    with pytest.raises(ValidationError, match="is an absolute path"):
        TypeAdapter(PathPattern).validate_python(text)


@pytest.mark.parametrize(
    "text", ["", "A.example", "http://a.example", "a..b", "*a.example", "a.example:0", "a.example:x", "a b"]
)
def test_no_host(text: str) -> None:
    with pytest.raises(ValidationError, match=r"is a host|has a port"):
        TypeAdapter(HostPattern).validate_python(text)


@pytest.mark.parametrize("text", ["", "1a", "a-b", "*A", "@none", "A*B"])
def test_no_variable(text: str) -> None:
    with pytest.raises(ValidationError, match="is the name of a variable"):
        TypeAdapter(VariablePattern).validate_python(text)


@pytest.mark.parametrize("text", ["/tmp/*", "/*", "/etc/os-release", "/tmp/*/x*"])
def test_a_path(text: str) -> None:
    assert TypeAdapter(PathPattern).validate_python(text) == text


@pytest.mark.parametrize("text", ["*", "a.example", "*.example", "a-*.example:443", "[::1]", "[::1]:80", "10.0.0.1"])
def test_a_host(text: str) -> None:
    assert TypeAdapter(HostPattern).validate_python(text) == text
