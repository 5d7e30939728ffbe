"""Everything is counted, and nothing is traced: Goatherd as it comes."""

from benchmarks.contender import Contender
from benchmarks.observability.goatherd_on import On

CONTENDER: Contender = On(label="metrics", share=0.0)
