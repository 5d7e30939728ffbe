-- Lanes as they stand, or the jobs of one.
--
-- KEYS: those of lane_store.lua
-- ARGV: after those of lane_store.lua: 3 how many jobs of the only lane are wanted, 0 if it is about lanes; then these
-- Returns the jobs, or for each lane that there is: its key, what is kept of it, when its condition ends ('' if it does
-- not by itself), and its head without the content.
local limit = tonumber(ARGV[3])
local keys, told = { unpack(ARGV, 4) }, {}
if limit > 0 then
    read_lanes(keys)
    local lane, fields = lanes[keys[1]], {}
    if not lane then return told end
    for place = lane.head, math.min(lane.tail, lane.head + limit - 1) do fields[#fields + 1] = field(keys[1], place) end
    for _, job in ipairs(values(JOBS, fields)) do
        if job then told[#told + 1] = job end
    end
    return told
end
for place, value in ipairs(values(LANES, keys)) do
    local key = keys[place]
    local job = value and call('HGET', JOBS, field(key, unpacked(value).head))
    if job then
        local _, _, content = job_parts(job)
        local parts = { key, value, call('ZSCORE', TIMERS, key) or '', sub(job, 1, content - 1) }
        for part = 1, 4 do told[#told + 1] = parts[part] end
    end
end
return told
