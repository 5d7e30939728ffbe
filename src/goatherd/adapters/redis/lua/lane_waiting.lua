-- What of some queues waits for workers.
--
-- KEYS: those of lane_store.lua
-- ARGV: after those of lane_store.lua: 3 how many things of each kind that are due are told; then the queues
-- Returns the time; for each queue how many lanes are ready, and since when that one is whose turn is next ('' if there
-- is none); then for each thing that is due and nobody has seen to: its queue, its lane, and when it was due.
local most, told = ARGV[3], { now }
for place = 4, #ARGV do
    local prefix = ready_prefix(ARGV[place])
    local first = first_ready(ARGV[place], 1)[1]
    local value = first and call('HGET', LANES, sub(first, #prefix + 17))
    told[#told + 1] = call('ZLEXCOUNT', READY, '[' .. prefix, '(' .. prefix .. ':')
    told[#told + 1] = value and format('%d', unpacked(value).since) or ''
end

local function tell(queue, key, due)
    local count = #told
    told[count + 1], told[count + 2], told[count + 3] = queue, key, due
end

local function each_due(set, hash, act)
    local due = call('ZRANGEBYSCORE', set, '-inf', now, 'WITHSCORES', 'LIMIT', 0, most)
    for place = 1, #due, 2 do
        local value = call('HGET', hash, due[place])
        if value then act(due[place], value, due[place + 1]) end
    end
end

each_due(TIMERS, LANES, function(key, value, due) tell(unpacked(value).queue, key, due) end)
each_due(LATER, DELAYED, function(_, value, due)
    local key, queue = cmsgpack.unpack(value)
    tell(queue, key, due)
end)
return told
