"""`goatherd completion`: the completion script of a shell."""

from __future__ import annotations

import click


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script with which SHELL completes goatherd's commands and options.

    \b
    Install it once:
      bash   goatherd completion bash >> ~/.bashrc
      zsh    goatherd completion zsh >> ~/.zshrc
      fish   goatherd completion fish > ~/.config/fish/completions/goatherd.fish

    Then open a new shell, type goatherd and press Tab.
    """
    from click.shell_completion import get_completion_class

    from goatherd.cli.main import cli

    kind = get_completion_class(shell)
    assert kind is not None, "click knows every shell of the choice above"
    click.echo(kind(cli, {}, "goatherd", "_GOATHERD_COMPLETE").source())
