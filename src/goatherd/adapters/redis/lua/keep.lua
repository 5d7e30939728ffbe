-- Keep a job for longer than it would be; never for less long.
--
-- KEYS: 1 state (hash), 2 log (stream), 3 text (string)
-- ARGV: 1 milliseconds from now
for _, key in ipairs(KEYS) do
    if redis.call('PTTL', key) < tonumber(ARGV[1]) then redis.call('PEXPIRE', key, ARGV[1]) end
end
return true
