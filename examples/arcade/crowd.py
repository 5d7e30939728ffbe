"""Players and viewers who keep the arcade busy: python -m examples.arcade.crowd

They know what anybody knows: the address of the API (`ARCADE_URL`), and the Realtime Database to which apps write.
"""

import os
import random
import signal
import sys
import threading
from itertools import count
from uuid import uuid4

import httpx2

#: Seconds between two rounds, and that an answer may take.
PAUSE, PATIENCE = 1.0, 20.0
STREAMERS = ("aiko", "ben", "chidi", "dana")
KINDS = ("pool", "pvp", "pvp", "multi")


def main() -> int:
    """Until told to stop."""
    over = threading.Event()
    for sign in (signal.SIGINT, signal.SIGTERM):
        signal.signal(sign, lambda _number, _frame: over.set())
    firebase = os.environ["ARCADE_FIREBASE_URL"]
    with httpx2.Client(base_url=os.environ["ARCADE_URL"], timeout=PATIENCE) as client:
        print("They wait for the doors to open", flush=True)
        told = ""
        for number in count(1):
            try:
                told = _round(client, firebase, number)
            except httpx2.HTTPError as error:
                told = told and f"nobody answers any more ({type(error).__name__}); they try again"
            if told:
                print(told, flush=True)
            if over.wait(PAUSE):
                return 0
    return 0


def _round(client: httpx2.Client, firebase: str, number: int) -> str:
    """Some give, some want to play, and some rooms are over."""
    luck = random.Random(number)
    coins = [luck.randint(1, 100) for _ in range(luck.randint(1, 20))]
    gifts = [{"giftId": str(uuid4()), "streamerId": luck.choice(STREAMERS), "bcoin": bcoin} for bcoin in coins]
    client.post("/api/v1/gifts", json=gifts).raise_for_status()
    for _ in range(3):
        ticket = {"ticketId": str(uuid4()), "playerId": luck.randint(1, 40)}
        client.post(f"/api/v1/settings/{luck.randint(1, 3)}/{luck.choice(KINDS)}", json=[ticket]).raise_for_status()
    start = {"startId": str(uuid4()), "playerId": luck.randint(1, 40)}
    client.post(f"/api/v1/machines/{luck.randint(1, 4)}/start", json=start).raise_for_status()
    rooms = client.get("/api/v1/rooms").raise_for_status().json()
    for room in luck.sample(rooms, len(rooms) // 3):
        command = {"type": "end_room", "user_id": 1, "data": {"roomId": room["id"]}}
        httpx2.post(f"{firebase}/commands/dev.json", json=command, timeout=PATIENCE).raise_for_status()
    return f"{len(gifts)} gifts of {sum(coins)}, 4 who want to play, {len(rooms)} rooms open"


if __name__ == "__main__":
    sys.exit(main())
