import socket
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.settings import CONFIG_DIR, DockerSettings, Loaded, Section, Settings, instance_of, load, secrets
from bot.settings_docker import default_host, known_sockets
from bot.settings_layers import NOT_SETTINGS, SettingsError, known_keys, toml_layer, tree_of
from scripts.engine.own import Folder, state_folder


def test_default_toml_documents_every_setting_and_states_the_defaults(tmp_path: Path) -> None:
    layer = toml_layer(CONFIG_DIR / "default.toml")
    assert set(layer) == set(known_keys(Settings))
    assert Settings.model_validate(tree_of(layer, Settings)) == Settings()


def test_example_env_names_settings_that_exist(tmp_path: Path) -> None:
    text = (CONFIG_DIR / "example.env").read_text()
    names = [
        line.lstrip("# ").partition("=")[0] for line in text.splitlines() if "FENCEPOST_" in line.partition("=")[0]
    ]
    keys = {"FENCEPOST_" + "__".join(key).upper() for key in known_keys(Settings)}
    assert names
    assert set(names) <= keys


def test_later_layers_win(tmp_path: Path) -> None:
    (tmp_path / "fencepost.toml").write_text("[limits]\ntimeout_s = 20\nslots = 2\n")
    loaded = load(cwd=tmp_path, environ={"FENCEPOST_LIMITS__SLOTS": "3"})
    limits = loaded.settings.limits
    assert (limits.timeout_s, limits.slots, limits.queue) == (20.0, 3, 20)
    assert not loaded.names_policy


def test_config_takes_the_place_of_the_local_file(tmp_path: Path) -> None:
    (tmp_path / "fencepost.toml").write_text("nonsense = 1\n")
    other = tmp_path / "other.toml"
    other.write_text('policy = "strict"\n')
    assert load(other, cwd=tmp_path, environ={"DOCKER_HOST": "unix:///var/run/docker.sock"}) == Loaded(
        Settings(policy="strict", docker=_docker()), names_policy=True
    )


def _docker() -> DockerSettings:
    return DockerSettings(host="unix:///var/run/docker.sock")


def test_lists_are_comma_separated(tmp_path: Path) -> None:
    env = {"FENCEPOST_CHANNEL__LANGUAGES": "python, bash", "FENCEPOST_CHANNEL__SOURCES": ""}
    settings = load(cwd=tmp_path, environ=env).settings
    assert settings.channel.languages == ("python", "bash")
    assert settings.channel.sources == ()


def test_the_docker_host_falls_back(tmp_path: Path) -> None:
    hosts = [
        load(cwd=tmp_path, environ=env).settings.docker.host
        for env in (
            {"FENCEPOST_DOCKER__HOST": "tcp://a:1", "DOCKER_HOST": "tcp://b:1"},
            {"DOCKER_HOST": "tcp://b:1"},
        )
    ]
    assert hosts == ["tcp://a:1", "tcp://b:1"]


def test_without_a_word_about_docker_the_first_socket_is_taken(tmp_path: Path) -> None:
    places = [tmp_path / name for name in ("missing", "file", "a.sock", "b.sock")]
    places[1].touch()
    assert default_host({}, iter(places)) == "unix:///var/run/docker.sock"
    with socket.socket(socket.AF_UNIX) as first, socket.socket(socket.AF_UNIX) as second:
        first.bind(str(places[2]))
        second.bind(str(places[3]))
        assert default_host({}, iter(places)) == f"unix://{places[2]}"
        assert default_host({"DOCKER_HOST": ""}, iter(places)) == f"unix://{places[2]}"


def test_the_engine_of_make_is_known(tmp_path: Path) -> None:
    for environ, uid in (({"HOME": "/home/ana"}, 1000), ({"HOME": "/root"}, 0), ({"FENCEPOST_STATE": "/x"}, 0)):
        own = Folder(state_folder(environ, uid) / "engine").socket
        assert own in known_sockets(environ, uid)


@pytest.mark.parametrize(
    ("toml", "env", "key", "origin", "says"),
    [
        ("[limits]\n\ntimeouts = 3\n", {}, "limits.timeouts", "fencepost.toml:3", "limits.timeout_s"),
        ("[limits]\nslots = '3'\n", {}, "limits.slots", "fencepost.toml:2", "valid integer"),
        ("limits.slots = 0\n", {}, "limits.slots", "fencepost.toml:1", "greater than or equal to 1"),
        ("limits = 3\n", {}, "limits", "fencepost.toml:1", "section"),
        ("[limits\n", {}, "fencepost.toml", "fencepost.toml", "not TOML"),
        ("", {"FENCEPOST_SLACK__BOT_TOKEN": "xoxb-1"}, "slack.bot_token", "FENCEPOST_SLACK__BOT_TOKEN", "no such"),
        ("", {"FENCEPOST_LIMITS__SLOTS": "many"}, "limits.slots", "FENCEPOST_LIMITS__SLOTS", "valid integer"),
        ("", {"FENCEPOST_LIMITS__SLOTS": "65"}, "limits.slots", "FENCEPOST_LIMITS__SLOTS", "less than or equal to 64"),
        ("", {"FENCEPOST_LIMITS__SLOTS": "1", "FENCEPOST_LIMITS__QUEUE": "0"}, "settings", "together", "per_user"),
        ("", {"FENCEPOST_LIMITS__SANDBOXES": "1"}, "settings", "together", "reserve"),
        ("", {"FENCEPOST_CHANNEL__TRIGGER": "yes"}, "channel.trigger", "FENCEPOST_CHANNEL__TRIGGER", "'mention'"),
        ("", {"FENCEPOST_CHANNEL__LANGUAGES": ","}, "settings", "together", "nothing could ever run"),
        ("", {"FENCEPOST_CHANNEL__LANGUAGES": "python,cobol"}, "settings", "together", "'cobol'"),
        ("", {"FENCEPOST_WEB__PORT": "65536"}, "web.port", "FENCEPOST_WEB__PORT", "65535"),
        ("", {"FENCEPOST_WEB__HOST": ""}, "web.host", "FENCEPOST_WEB__HOST", "empty"),
        ("", {"FENCEPOST_DATA_DIR": ""}, "data_dir", "FENCEPOST_DATA_DIR", "empty"),
        ("policy = ''\n", {}, "policy", "fencepost.toml:1", "empty"),
        ("data_dir = 'x\\u0000'\n".replace("'", '"'), {}, "data_dir", "fencepost.toml:1", "control character"),
        ("[web]\nallowed_hosts = ['a', 'b\tc']\n", {}, "web.allowed_hosts", "fencepost.toml:2", "control character"),
        ("", {"FENCEPOST_CHANNEL__SOURCES": "web:a,b"}, "channel.sources", "FENCEPOST_CHANNEL__SOURCES", "'b'"),
        ("", {"FENCEPOST_DOCKER__HOST": "ssh://a"}, "docker.host", "FENCEPOST_DOCKER__HOST", "tcp://host:port"),
        ("", {"FENCEPOST_DOCKER__HOST": "tcp://a:99999"}, "docker.host", "FENCEPOST_DOCKER__HOST", "range"),
        ("", {"FENCEPOST_DOCKER__HOST": "tcp://a:0"}, "docker.host", "FENCEPOST_DOCKER__HOST", "tcp://host:port"),
        ("", {"FENCEPOST_DOCKER__HOST": "unix://"}, "docker.host", "FENCEPOST_DOCKER__HOST", "unix:///path"),
        ("", {"DOCKER_HOST": "npipe:////./pipe/x"}, "docker.host", "variable DOCKER_HOST", "DOCKER__HOST"),
    ],
)
def test_errors_name_key_origin_and_reason(  # noqa: PLR0917
    tmp_path: Path, toml: str, env: dict[str, str], key: str, origin: str, says: str
) -> None:
    if toml:
        (tmp_path / "fencepost.toml").write_text(toml)
    with pytest.raises(SettingsError) as caught:
        load(cwd=tmp_path, environ=env)
    assert caught.value.key == key
    assert caught.value.origin.endswith(origin)
    assert says in f"{caught.value.why} {caught.value.fix}"


def test_a_secret_given_wrong_does_not_appear_in_the_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        load(cwd=tmp_path, environ={"FENCEPOST_SLACK__BOT_TOKEN": "xoxb-very-secret"})
    assert "very-secret" not in str(caught.value)


def test_variables_of_the_scripts_are_left_alone(tmp_path: Path) -> None:
    load(cwd=tmp_path, environ=dict.fromkeys(NOT_SETTINGS, "x"))


def test_secrets_are_found_wherever_they_stand() -> None:
    class Inner(Section):
        token: SecretStr = SecretStr("")
        empty: SecretStr = SecretStr("")

    class Outer(Section):
        inner: Inner = Inner()
        name: str = "n"

    assert list(secrets(Outer(inner=Inner(token=SecretStr("s3"))))) == ["s3"]


def test_a_data_directory_has_its_instance(tmp_path: Path) -> None:
    names = {instance_of(tmp_path / "a"), instance_of(tmp_path / "b"), instance_of(tmp_path / "a", "console")}
    assert len(names) == 3
    assert all(len(name) <= 32 for name in names)


def test_the_channel_config_takes_the_platforms_trigger_unless_one_is_set(tmp_path: Path) -> None:
    assert Settings().channel_config("always").trigger == "always"
    env = {"FENCEPOST_CHANNEL__TRIGGER": "off", "FENCEPOST_LIMITS__MEMORY_MB": "64"}
    settings = load(cwd=tmp_path, environ=env).settings
    config = settings.channel_config("always")
    assert (config.trigger, config.limits.memory_mb) == ("off", 64)
