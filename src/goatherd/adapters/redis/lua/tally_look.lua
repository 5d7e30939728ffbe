-- How much there is in a tally.
--
-- KEYS: 1 counters (hash): key -> total     2 batches (hash): key -> its total
-- Returns how many keys have something, and all totals.
local batches = redis.call('HGETALL', KEYS[2])
local keys = redis.call('HLEN', KEYS[1])
local totals = redis.call('HVALS', KEYS[1])
for place = 1, #batches, 2 do
    if redis.call('HEXISTS', KEYS[1], batches[place]) == 0 then keys = keys + 1 end
    totals[#totals + 1] = batches[place + 1]
end
return { keys, totals }
