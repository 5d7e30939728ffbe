-- Put the jobs of batches at the end of their lanes and forget the batches; those that are gone were posted before.
--
-- KEYS: after those of lane_store.lua: 10 batches (hash), 11 sealed (sorted set), see tally_seal.lua
-- ARGV: after those of lane_store.lua, for each batch: its key, its seq, its lane, the queue, and the job as the sender
--       wrote it
-- Returns how many were put.
local BATCHES, SEALED = KEYS[10], KEYS[11]
write_though_memory_is_full()

local there, keys = {}, {}
for place = 3, #ARGV, 5 do
    if tonumber(call('ZSCORE', SEALED, ARGV[place]) or '-1') == tonumber(ARGV[place + 1]) then
        there[#there + 1] = place
        keys[#keys + 1] = ARGV[place + 2]
        -- At once, so that a batch that is told twice is posted once.
        call('ZREM', SEALED, ARGV[place])
        call('HDEL', BATCHES, ARGV[place])
    end
end
read_lanes(keys)
for _, place in ipairs(there) do put(ARGV[place + 2], ARGV[place + 3], now, ARGV[place + 4]) end
save_jobs()
save_lanes()
wake_workers()
return #there
