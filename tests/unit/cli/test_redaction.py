from goatherd.cli.redaction import printable


def test_what_could_command_the_terminal_is_spelled_out() -> None:
    assert printable("a\x1b[31mb\nc\x00\tü") == "a\\x1b[31mb\nc\\x00\tü"
