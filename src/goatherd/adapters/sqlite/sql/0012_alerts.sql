-- Which alerts there are and who was told of them, as a text of our own for each app.

CREATE TABLE alert_board (
    app  TEXT    PRIMARY KEY,
    rev  INTEGER NOT NULL,
    text BLOB    NOT NULL
) STRICT, WITHOUT ROWID;
