-- Share the shards out between the routers that live; each holds what it holds until it is silent for too long.
--
-- KEYS: 1 routers by the time until which they are believed to live (sorted set), 2 who holds a shard (hash)
-- ARGV: 1 this router    2 milliseconds that it is believed to live, 0 if it leaves    3 how many shards there are
--       then the shards that it cannot give up now, because it has not settled all that it took from them
-- Returns the shards that it holds now.
local me, lease, shards = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local busy = {}
for place = 4, #ARGV do busy[tonumber(ARGV[place])] = true end
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if lease == 0 then
    redis.call('ZREM', KEYS[1], me)
else
    redis.call('ZADD', KEYS[1], now + lease, me)
end

local routers = redis.call('ZCARD', KEYS[1])
local share = lease == 0 and 0 or math.ceil(shards / routers)
local held, free = {}, {}
for shard = 0, shards - 1 do
    local holder = redis.call('HGET', KEYS[2], shard)
    if holder == me then
        if #held < share or busy[shard] then
            held[#held + 1] = shard
        else
            redis.call('HDEL', KEYS[2], shard)
        end
    elseif not holder or not redis.call('ZSCORE', KEYS[1], holder) then
        free[#free + 1] = shard
    end
end
for _, shard in ipairs(free) do
    if #held < share then
        redis.call('HSET', KEYS[2], shard, me)
        held[#held + 1] = shard
    end
end
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, 2 * lease + 60000) end
return held
