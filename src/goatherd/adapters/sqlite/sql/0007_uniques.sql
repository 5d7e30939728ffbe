-- Which jobs are the only ones of their key.

CREATE TABLE unique_key (
    key    TEXT PRIMARY KEY,
    job    TEXT NOT NULL,
    sender TEXT NOT NULL, -- who is sending it; '' when it is sent
    until  REAL NOT NULL  -- the key is free afterwards
) STRICT, WITHOUT ROWID;

CREATE INDEX unique_key_until ON unique_key (until);
CREATE INDEX unique_key_job   ON unique_key (job);
