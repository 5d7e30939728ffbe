"""Which database this is: it has a name of its own, so that a user's connection can be told from one to another."""

from goatherd.adapters.postgres.pool import Pool
from goatherd.errors import SettingsError

#: Gives no row where there is no such schema, and fails nowhere.
THIS_STORE = """
    SELECT pg_catalog.obj_description(c.oid, 'pg_class') FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'goatherd' AND c.relname = 'migration'
"""


async def name_of_store(pool: Pool) -> str:
    """Raises Unavailable or SettingsError."""
    [[store]] = await pool.run(THIS_STORE)
    if not store:
        told = f"{pool.address} has lost the comment on its table goatherd.migration, which names the store"
        raise SettingsError([told])
    return str(store)
