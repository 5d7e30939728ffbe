"""Run a program with one of its safeguards taken out: `python -m tests.faults.live.planted SAFEGUARD MODULE …`.

The package has no switch for this. What a safeguard is good for is shown by a run that fails without it.
"""

import runpy
import sys

from tests.faults.live.ablations import ABLATIONS


def main(safeguard: str, module: str, *arguments: str) -> None:
    if safeguard:
        ABLATIONS[safeguard]()
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
