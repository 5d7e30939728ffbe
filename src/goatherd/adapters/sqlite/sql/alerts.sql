-- name: look_at_alerts
SELECT rev, text FROM alert_board WHERE app = :app;

-- name: write_alerts
INSERT INTO alert_board (app, rev, text)
SELECT :app, 1, :text WHERE :rev = 0 OR EXISTS (SELECT 1 FROM alert_board WHERE app = :app)
ON CONFLICT (app) DO UPDATE SET rev = alert_board.rev + 1, text = excluded.text WHERE alert_board.rev = :rev;
