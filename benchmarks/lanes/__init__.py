"""Contenders that do jobs of one key in their order, and jobs of different keys at the same time.

For all of them: one process that sends, one worker process that does up to a hundred jobs at once, and the same job.
After each drain it is checked that the jobs of every key were begun in the order in which they were sent.
"""
