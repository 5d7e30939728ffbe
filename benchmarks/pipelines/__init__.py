"""Contenders that put down in a database what became of each piece of work.

For all of them: one process that sends, one worker process that does up to a hundred at once, and the same work. With
Goatherd each piece is a step of a run of ten: it is claimed under a lease, its result is on record, and the step after
it is made ready in the same transaction. With the others it is a job of its own.
"""
