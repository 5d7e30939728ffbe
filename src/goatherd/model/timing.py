"""When a schedule is due."""

from goatherd.model.schedule import ScheduleRule


def check_rule(name: str, rule: ScheduleRule) -> None:
    """Raise DefinitionError for a rule that cannot be followed."""
