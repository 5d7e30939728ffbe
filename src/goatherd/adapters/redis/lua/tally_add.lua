-- Add to the counter of a key, once for an id.
--
-- KEYS: 1 counters (hash): key -> total     2 above (sorted set): keys whose total is above zero, by the round in which
--         they rose     3 the tally's state (hash), see tally_seal.lua     4 whether the id is known (string), if it has one
-- ARGV: 1 the time, 0 for the server's own     2 key     3 amount     4 the largest total, in either direction
--       5 milliseconds to remember ids
-- Returns 1; 0 if the id is known; -1 if the total would be too large.
--
-- Totals stay text wherever they are read: Lua's numbers would not have all of them exactly. A server whose memory is
-- full refuses the first write, and so nothing is done.
local call = redis.call
local COUNTERS, ABOVE, STATE, ID = unpack(KEYS, 1, 4)
local key, amount, largest = ARGV[2], ARGV[3], tonumber(ARGV[4])

local now
if ID then
    now = tonumber(ARGV[1])
    if now == 0 then
        local time = call('TIME')
        now = time[1] * 1000000 + time[2]
    end
    if tonumber(call('GET', ID) or '0') > now then return 0 end
end
local total = call('HINCRBY', COUNTERS, key, amount)
if total > largest or total < -largest then
    call('HINCRBY', COUNTERS, key, string.format('%d', -tonumber(amount)))
    return -1
end
if total > 0 then
    if total <= tonumber(amount) then
        call('ZADD', ABOVE, 'NX', call('HGET', STATE, 'round') or '0', key)
    end
else
    call('ZREM', ABOVE, key)
    if total == 0 then call('HDEL', COUNTERS, key) end
end
if ID then call('SET', ID, string.format('%d', now + ARGV[5] * 1000), 'PX', ARGV[5]) end
return 1
