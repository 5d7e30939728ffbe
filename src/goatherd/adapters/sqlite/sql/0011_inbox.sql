-- Commands from outside, from the moment they are seen until they are jobs and gone from their source, and a while on.

CREATE TABLE command (
    seq     INTEGER PRIMARY KEY,
    inbox   TEXT    NOT NULL,
    key     TEXT    NOT NULL,
    body    BLOB    NOT NULL,           -- empty when it is sent
    digest  TEXT    NOT NULL,
    stored  REAL    NOT NULL,
    held    REAL    NOT NULL,           -- somebody has it in hand until then
    sent    INTEGER NOT NULL DEFAULT 0,
    removed INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE UNIQUE INDEX command_key    ON command (inbox, key);
CREATE INDEX command_unfinished    ON command (inbox, seq) WHERE sent = 0 OR removed = 0;
CREATE INDEX command_stored        ON command (stored);
