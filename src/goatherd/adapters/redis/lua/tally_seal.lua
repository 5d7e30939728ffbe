-- Set totals above zero apart, and give the oldest batches.
--
-- KEYS: 1 counters, 2 above: see tally_add.lua
--       3 the tally's state (hash): the number of the last round, when it began, the seq of the last batch
--       4 batches (hash): key -> its total     5 sealed (sorted set): keys with a batch, by its seq
-- ARGV: 1 the time, 0 for the server's own     2 microseconds between two rounds     3 batches at most
-- Returns microseconds until the next round, 0 if this one goes on; then key, seq and total of each batch.
local call, format, max = redis.call, string.format, math.max
local COUNTERS, ABOVE, STATE, BATCHES, SEALED = unpack(KEYS, 1, 5)
local every, limit = tonumber(ARGV[2]), tonumber(ARGV[3])

local now = tonumber(ARGV[1])
if now == 0 then
    local time = call('TIME')
    now = time[1] * 1000000 + time[2]
end

-- A server whose memory is full lets a script go on that has written before: totals must become jobs, or no memory
-- would ever be free again.
call('ZREM', ABOVE, '')

local state = call('HMGET', STATE, 'round', 'began', 'mark')
local round, began, mark = tonumber(state[1] or '0'), tonumber(state[2] or '0'), tonumber(state[3] or '0')
-- A clock that was set back does not stop it for long.
if began > now or now - began >= every then round, began = round + 1, now end

local room = max(0, limit - call('ZCARD', SEALED))
local goes_on = false
-- Keys that still have a batch wait for their turn; there are few of them, for whoever flushes posts them first.
local from = 0
while not goes_on do
    local keys = call('ZRANGEBYSCORE', ABOVE, '-inf', format('%d', round - 1), 'LIMIT', from, 500)
    for _, key in ipairs(keys) do
        if call('HEXISTS', BATCHES, key) == 1 then
            from = from + 1
        elseif room == 0 then
            goes_on = true
            break
        else
            room, mark = room - 1, max(mark + 1, now)
            call('HSET', BATCHES, key, call('HGET', COUNTERS, key))
            call('ZADD', SEALED, format('%d', mark), key)
            call('HDEL', COUNTERS, key)
            call('ZREM', ABOVE, key)
        end
    end
    if #keys < 500 then break end
end
call('HSET', STATE, 'round', format('%d', round), 'began', format('%d', began), 'mark', format('%d', mark))

local told = { goes_on and '0' or format('%d', max(0, began + every - now)) }
local oldest = call('ZRANGE', SEALED, 0, limit - 1, 'WITHSCORES')
for place = 1, #oldest, 2 do
    told[#told + 1] = oldest[place]
    told[#told + 1] = format('%d', oldest[place + 1])
    told[#told + 1] = call('HGET', BATCHES, oldest[place])
end
return told
