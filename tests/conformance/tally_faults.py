"""Faults that tallies could have, each planted into the code of a store as it is loaded; see `lane_faults`."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from goatherd.adapters.redis.scripts import OF_TALLIES
from tests.conformance.lane_faults import Edit, Faults, edited

SQLITE: Faults = {
    "not taken from the counter": [Edit("total = 0", "total = total", "set_total_apart")],
    "batch not checked": [Edit("seq = ?", "? > 0", "drop_batch")],
    "batch stays": [Edit("SET seq = NULL, apart = NULL", "SET seq = seq", "drop_batch")],
    "id counts again": [Edit("WHERE until <= :now", "WHERE until <> :now", "remember_addition")],
    "second batch over the first": [Edit(" AND seq IS NULL", "", "keys_of_round")],
    "mark forgotten": [Edit("began, mark", "began, 0", "tally_state")],
    "round not kept": [Edit("round < ?", "round < ? + 1", "keys_of_round")],
    "key forgotten with its counter": [Edit(" AND total = 0", "", "drop_empty_key")],
}

_RESET = "            call('HDEL', COUNTERS, key)\n"
_THERE = "== tonumber(ARGV[place + 1])"
_FORGET = "        call('ZREM', SEALED, ARGV[place])\n        call('HDEL', BATCHES, ARGV[place])\n"
_SET_ID = "if ID then call('SET'"
REDIS: Faults = {
    "not taken from the counter": [Edit(_RESET, "")],
    "batch not checked": [Edit(_THERE, "> 0")],
    "batch stays": [Edit(_FORGET, "")],
    "id counts again": [Edit(_SET_ID, "if false then call('SET'")],
    "second batch over the first": [Edit("call('HEXISTS', BATCHES, key) == 1", "false")],
    "mark forgotten": [Edit("tonumber(state[3] or '0')", "0")],
    "round not kept": [Edit("format('%d', round - 1)", "format('%d', round)")],
    "key forgotten with its counter": [Edit("if total == 0 then call('HDEL'", "if total ~= 1 then call('HDEL'")],
}

_FREE = " AND k.above AND k.seq IS NULL"
POSTGRES: Faults = {
    "not taken from the counter": [Edit("total = 0, above = false", "above = false")],
    "batch not checked": [Edit(" AND k.seq = b.seq FOR UPDATE", " FOR UPDATE")],
    "batch stays": [
        Edit("SET seq = NULL, apart = NULL\n", "SET seq = k.seq\n"),
        Edit("k.key = ANY (v_keys) AND k.total = 0", "k.key = ANY (v_keys) AND k.total = -77"),
    ],
    "id counts again": [Edit(" WHERE i.until <= v_now", "")],
    "second batch over the first": [Edit(_FREE, " AND k.above")],
    "mark forgotten": [Edit("greatest(v_state.mark + 1, v_now)", "v_now")],
    "round not kept": [Edit("k.round < v_state.round", "k.round <= v_state.round")],
    "key forgotten with its counter": [Edit("k.key = ANY (v_keys) AND k.total = 0", "k.key = ANY (v_keys)")],
}


@contextmanager
def in_redis(edits: Sequence[Edit]) -> Iterator[None]:
    """Servers that are connected to meanwhile get scripts that have the fault."""
    before = [(script, script.source, script.digest) for script in OF_TALLIES]
    texts = edited([script.source.decode() for script in OF_TALLIES], edits)
    for script, text in zip(OF_TALLIES, texts, strict=True):
        script.source = text.encode()
        script.digest = hashlib.sha1(script.source, usedforsecurity=False).hexdigest()
    try:
        yield
    finally:
        for script, source, digest in before:
            script.source, script.digest = source, digest
