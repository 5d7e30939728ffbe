-- Forget batches whose jobs are elsewhere.
--
-- KEYS: 1 batches (hash), 2 sealed (sorted set), see tally_seal.lua
-- ARGV: for each its key and its seq
local BATCHES, SEALED = unpack(KEYS, 1, 2)
for place = 1, #ARGV, 2 do
    if tonumber(redis.call('ZSCORE', SEALED, ARGV[place]) or '-1') == tonumber(ARGV[place + 1]) then
        redis.call('ZREM', SEALED, ARGV[place])
        redis.call('HDEL', BATCHES, ARGV[place])
    end
end
