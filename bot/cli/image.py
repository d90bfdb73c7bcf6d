"""`fencepost image build`: the sandbox image, from its recipe in config/images."""

import argparse

from bot.cli.arguments import with_config, with_json
from bot.cli.machinery import settings_of
from bot.cli.terminal import answer, complain, say
from bot.cli.trouble import DONE, Misused, Trouble
from executor.errors import ExecutorError

BUILD_S = 600


def arguments(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", metavar="build", required=True)
    text = "see that the engine has the image, by building it if need be"
    verb = verbs.add_parser("build", help=text, description=text)
    with_json(verb)
    with_config(verb)
    verb.set_defaults(run=build)


def build(args: argparse.Namespace) -> int:
    import docker  # noqa: PLC0415 - takes its time

    from executor.debian import BootstrapMissing  # noqa: PLC0415
    from executor.imagebuild import obtain  # noqa: PLC0415

    settings = settings_of(args).settings
    host = settings.docker.host
    if settings.docker.image:
        raise Misused(
            "There is nothing to build.",
            f"docker.image names {settings.docker.image}, which is not ours to build.",
            "Unset FENCEPOST_DOCKER__IMAGE to use the image of config/images.",
        )
    try:
        client = docker.DockerClient(host, timeout=BUILD_S, use_ssh_client=host.startswith("ssh://"))
        tag = obtain(client, complain)
    except docker.errors.DockerException as error:
        fix = "Start Docker, or say where it is: FENCEPOST_DOCKER__HOST=unix:///path."
        raise Trouble("Docker does not answer.", f"{host} was asked: {error}.", fix) from error
    except BootstrapMissing as error:
        raise Trouble("The image cannot be built.", f"{error}", "Install what is missing, then try again.") from error
    except ExecutorError as error:
        raise Trouble("The image could not be built.", f"{error}", "Mend that, then try again.") from error
    if args.json:
        answer({"image": tag})
    else:
        say(tag)
    return DONE
