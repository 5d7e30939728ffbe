"""Celery as it comes: a worker process that hands the jobs to a child process, here to one."""

from benchmarks.contender import Contender
from benchmarks.rabbitmq.celery_solo import CeleryContender

CONTENDER: Contender = CeleryContender(label="celery, prefork 1", pool="prefork")
ON_CLASSIC_QUEUES: Contender = CeleryContender(label="celery, prefork 1", pool="prefork", queue_type="classic")
