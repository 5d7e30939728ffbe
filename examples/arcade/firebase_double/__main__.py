"""Serve an empty database until told to stop: `python -m examples.arcade.firebase_double --port 9199`."""

import argparse
import asyncio
import signal

from examples.arcade.firebase_double.server import FirebaseDouble


async def main() -> None:
    """Say where it is served, and serve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1", help="where to listen; 0.0.0.0 is everywhere")
    parser.add_argument("--port", type=int, default=0, help="a free one if it is left out")
    parser.add_argument("--secret", help="what clients must give as auth=")
    told = parser.parse_args()
    ended = asyncio.Event()
    for sign in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(sign, ended.set)
    async with FirebaseDouble(secret=told.secret, host=told.host, port=told.port) as double:
        print(f"Serving on {double.url}", flush=True)
        await ended.wait()


if __name__ == "__main__":
    asyncio.run(main())
