"""What game servers write into the queues: JSON, with names as in JavaScript; what is new in it is passed over."""

import msgspec

#: Kinds of matching, and the queue of each by a playable setting's id.
POOL, PVP, MULTI = "queue-game-mode-type-pool-{}", "matching-pvp-{}", "matching-pvp-multi-{}"
#: By a machine's id.
MACHINE_START = "machine-start-{}"

#: The queues of prizes are `prize-{name}`.
PRIZES = ("daily", "event", "tournament", "season", "jackpot", "login", "mission", "referral", "nft-revenue")
#: The queues of gacha are `gacha-{name}`, with what a draw costs there and how many things it gives.
GACHA = {"draw": (10, 1), "ten-draw": (90, 10), "ticket": (0, 1), "step-up": (30, 4), "exchange": (50, 1)}
INVITATION = "queue-invitation"
GIFT = "livestream-viewer-gift"
#: A few others.
NOTIFICATION, REPORT = "queue-notification", "queue-player-report"


class Ticket(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A player who wants to play."""

    #: Given by whoever sends it, so that a message that comes twice is one wish.
    ticket_id: str
    player_id: int


class MachineStart(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A player who put a coin into a machine."""

    start_id: str
    player_id: int


class Prize(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Something that a player has won."""

    #: Of what it is for: nobody gets it twice.
    award_id: str
    player_id: int
    coins: int


class Draw(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A draw that a player has asked for."""

    draw_id: str
    player_id: int


class Invitation(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A player asks another one into a room."""

    invitation_id: str
    room_id: int
    player_id: int
    guest_id: int


class Notification(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Something that a player is told."""

    notification_id: str
    player_id: int
    text: str


class Report(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A player complains about another one."""

    report_id: str
    player_id: int
    about_id: int
    text: str
