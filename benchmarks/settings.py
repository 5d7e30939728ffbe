"""Which contenders meet in which setting. A new one is a file in the setting's folder and its name here."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmarks.contender import AnyContender


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Contenders that may be compared with each other."""

    #: Ours first.
    names: tuple[str, ...]
    #: Where their files are.
    folder: str
    #: What they are called in their files.
    constant: str = "CONTENDER"
    #: Measured in every so-manieth repetition only: figures to stand beside others.
    every: int = 1
    #: Those of ours whose ratios are told; nobody named means the first.
    compared: tuple[str, ...] = ()
    #: The servers that each needs, by its name.
    servers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


#: Contenders with keys, and the servers that they need.
_LANES = {
    "goatherd_redis": ("rabbitmq", "redis"),
    "goatherd_postgres": ("rabbitmq", "postgres"),
    "goatherd_sqlite": (),
    "unkeyed_rabbitmq": ("rabbitmq",),
    "unkeyed_sqlite": (),
    "plain": ("redis",),
    "procrastinate": ("postgres",),
}
#: A setting that is measured once in a run, however often the others are.
_ONCE = 1000

_FRAMEWORKS = ("goatherd", "celery_prefork", "celery_solo", "dramatiq", "faststream", "taskiq")
_CLIENTS = ("goatherd_link", "librabbitmq")

SETTINGS: dict[str, Setting] = {
    "sqlite": Setting(
        names=(
            "goatherd",
            "goatherd_def",
            "goatherd_full",
            "huey_fsync",
            "huey_nosync",
            "persistqueue_ack",
            "persistqueue_fifo",
            "persistqueue_by_hand",
        ),
        folder="sqlite",
    ),
    "rabbitmq": Setting(names=_FRAMEWORKS, folder="rabbitmq"),
    "rabbitmq_classic": Setting(names=_FRAMEWORKS, folder="rabbitmq", constant="ON_CLASSIC_QUEUES", every=2),
    "rabbitmq_rpc": Setting(
        names=(
            "goatherd",
            "goatherd_sync",
            "goatherd_exclusive",
            "goatherd_quorum",
            "pika",
            "pika_confirmed",
            "aio_pika",
            "faststream",
        ),
        folder="rabbitmq_rpc",
        compared=("goatherd", "goatherd_sync"),
    ),
    "sse": Setting(
        names=("goatherd_redis", "goatherd_sqlite", "sse_starlette", "sse_starlette_shared", "raw_protocol"),
        folder="sse",
        compared=("goatherd_redis", "goatherd_sqlite"),
    ),
    # Apart, so that the turns of those who are compared come soon after each other.
    "sse_clients": Setting(names=("goatherd_redis", "goatherd_sqlite"), folder="sse"),
    "lanes": Setting(
        names=("goatherd_redis", "unkeyed_rabbitmq", "plain", "goatherd_postgres", "goatherd_sqlite", "unkeyed_sqlite"),
        folder="lanes",
        servers=_LANES,
    ),
    "lanes_postgres": Setting(names=("goatherd_postgres", "procrastinate"), folder="lanes", servers=_LANES),
    "lanes_keys": Setting(
        names=("goatherd_redis", "goatherd_postgres", "goatherd_sqlite"), folder="lanes", servers=_LANES, every=_ONCE
    ),
    "pipelines": Setting(
        names=("goatherd_postgres", "goatherd_batches", "procrastinate", "pgqueuer", "goatherd_sqlite"),
        folder="pipelines",
        servers={
            "goatherd_batches": ("rabbitmq", "postgres"),
            "goatherd_postgres": ("rabbitmq", "postgres"),
            "procrastinate": ("postgres",),
            "pgqueuer": ("postgres",),
        },
    ),
    "observability": Setting(
        names=("goatherd_off", "goatherd_metrics", "goatherd_sampled", "goatherd_on"), folder="observability"
    ),
    "dashboard": Setting(
        names=("goatherd_sqlite", "goatherd_postgres"),
        folder="dashboard",
        servers={"goatherd_postgres": ("postgres",)},
        every=_ONCE,
    ),
    "rabbitmq_bare": Setting(names=_CLIENTS, folder="rabbitmq_bare"),
    "rabbitmq_bare_classic": Setting(names=_CLIENTS, folder="rabbitmq_bare", constant="ON_CLASSIC_QUEUES", every=2),
}


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One contender by name, not imported yet: its library is loaded only in the processes that use it."""

    setting: str
    name: str

    @property
    def ours(self) -> bool:
        """Whether it is Goatherd, which is compared with the others."""
        return self.name.startswith("goatherd")

    @property
    def compared(self) -> bool:
        """Whether its ratios to the others are told."""
        setting = SETTINGS[self.setting]
        return self.name in (setting.compared or setting.names[:1])

    @property
    def servers(self) -> frozenset[str]:
        """Those that it needs and that run for the whole of a run."""
        of_setting = ("rabbitmq",) if self.setting.startswith("rabbitmq") else ()
        return frozenset(SETTINGS[self.setting].servers.get(self.name, of_setting))

    def in_repetition(self, number: int) -> bool:
        """Whether it is measured in that repetition, counted from 0."""
        return number % SETTINGS[self.setting].every == 0

    def load(self) -> AnyContender:
        """Import it."""
        setting = SETTINGS[self.setting]
        module = importlib.import_module(f"benchmarks.{setting.folder}.{self.name}")
        found: AnyContender = getattr(module, setting.constant)
        return found


ENTRIES = tuple(Entry(setting=name, name=each) for name, setting in SETTINGS.items() for each in setting.names)


def chosen(only: tuple[str, ...]) -> list[Entry]:
    """The entries that the words name; all for no words. Raises ValueError for a word that names none."""
    if not only:
        return list(ENTRIES)
    picked = {entry for word in only for entry in _named(word)}
    return [entry for entry in ENTRIES if entry in picked]


def _named(word: str) -> list[Entry]:
    """The entries of that name, else those whose name, or setting and name, begins so."""
    names = {entry: (entry.name, f"{entry.setting}/{entry.name}") for entry in ENTRIES}
    exact = [entry for entry in ENTRIES if word in names[entry]]
    found = exact or [entry for entry in ENTRIES if any(name.startswith(word) for name in names[entry])]
    if not found:
        known = ", ".join(f"{entry.setting}/{entry.name}" for entry in ENTRIES)
        raise ValueError(f"No contender's name begins with {word}; there are {known}.")
    return found
