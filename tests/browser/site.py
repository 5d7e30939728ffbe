"""A web service as users write it: pages of its own, and the gateway mounted beside them."""

import sys
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from goatherd import Goatherd
from goatherd.web import gateway

app = Goatherd("tales")

pages = StaticFiles(directory=Path(__file__).parent / "pages")
site = Starlette(routes=[Mount("/api/v1", gateway(app)), Mount("/pages", pages)])

if __name__ == "__main__":
    uvicorn.run(site, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
