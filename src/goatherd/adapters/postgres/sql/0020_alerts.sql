-- Which alerts there are and who was told of them, as a text of our own for each app.

CREATE TABLE goatherd.alert_board (
    app  text   COLLATE "C" PRIMARY KEY,
    rev  bigint NOT NULL,
    text bytea  NOT NULL
);
