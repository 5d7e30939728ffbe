-- Tell the letters that wait, or forget those that have been taken away.
--
-- A member of the set stands for jobs of following places: the first one's number, of 16 digits, then the lane, the
-- place that this number is for, the first and the last place that may still be there, how many are, the burial, and
-- the head's id if it is about jobs behind a head that was given up. The jobs stay where they were.
--
-- KEYS: those of lane_store.lua
-- ARGV: after those of lane_store.lua: 3 how many to tell; then the numbers of those to forget
-- Returns for each letter its number, the lane, the burial, the head's id and the job.
local limit = tonumber(ARGV[3])

local function range_in(member)
    local range = { member = member, number = tonumber(sub(member, 1, 16)) }
    range.key, range.origin, range.first, range.last, range.left, range.burial, range.behind =
        cmsgpack.unpack(sub(member, 17))
    return range
end

local ranges = {}
local function range_of(letter)
    local member = call('ZREVRANGEBYLEX', LETTERS, '(' .. format('%016d', letter + 1), '-', 'LIMIT', 0, 1)[1]
    if not member then return nil end
    local number = sub(member, 1, 16)
    ranges[number] = ranges[number] or range_in(member)
    return ranges[number]
end

for place = 4, #ARGV do
    local letter = tonumber(ARGV[place])
    local range = range_of(letter)
    if range then
        local job = range.origin + letter - range.number
        if job >= range.first and job <= range.last then
            range.left = range.left - call('HDEL', JOBS, field(range.key, job))
        end
    end
end
for number, range in pairs(ranges) do
    call('ZREM', LETTERS, range.member)
    if range.left > 0 then
        while call('HEXISTS', JOBS, field(range.key, range.first)) == 0 and range.first < range.last do
            range.first = range.first + 1
        end
        local rest = cmsgpack.pack(
            range.key, range.origin, range.first, range.last, range.left, range.burial, range.behind
        )
        call('ZADD', LETTERS, 0, number .. rest)
    end
end

local told, count = {}, 0
if limit == 0 then return told end
for _, member in ipairs(call('ZRANGE', LETTERS, 0, limit - 1)) do
    local range = range_in(member)
    local place = range.first
    while place <= range.last and count < limit do
        local job = call('HGET', JOBS, field(range.key, place))
        if job then
            count = count + 1
            local parts = { range.number + place - range.origin, range.key, range.burial, range.behind, job }
            for part = 1, 5 do told[#told + 1] = parts[part] end
        end
        place = place + 1
    end
end
return told
