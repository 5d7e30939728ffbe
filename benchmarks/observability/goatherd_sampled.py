"""Everything is counted, and one trace in ten is recorded."""

from benchmarks.contender import Contender
from benchmarks.observability.goatherd_on import On

CONTENDER: Contender = On(label="metrics, one trace in ten", share=0.1)
