-- Events of one shard are done with: acknowledge them, note the dead, and trim what no group needs any more.
--
-- KEYS: 1 the shard (stream), 2 failed jobs (stream)
-- ARGV: 1 the group    2 milliseconds to keep a shard    3 milliseconds to keep failed jobs    4 how many of them
--       5 how many events; then the id of each; then for each failed job the id of its end, how many fields and values
--       there are to note, and these
if redis.call('EXISTS', KEYS[1]) == 0 then return false end

local function later(id, than)
    local time, count = string.match(id, '(%d+)-(%d+)')
    local other_time, other_count = string.match(than, '(%d+)-(%d+)')
    if time ~= other_time then return tonumber(time) > tonumber(other_time) end
    return tonumber(count) > tonumber(other_count)
end

local count = tonumber(ARGV[5])
if count > 0 then redis.call('XACK', KEYS[1], ARGV[1], unpack(ARGV, 6, 5 + count)) end
local place = 6 + count
while place < #ARGV do
    local fields = tonumber(ARGV[place + 1])
    -- Whoever is not the first to settle it finds that it is noted already.
    if redis.call('XACK', KEYS[1], ARGV[1], ARGV[place]) == 1 then
        redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[4], '*', unpack(ARGV, place + 2, place + 1 + fields))
        redis.call('PEXPIRE', KEYS[2], ARGV[3])
    end
    place = place + 2 + fields
end

local needed = false
for _, group in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do
    local told = {}
    for field = 1, #group, 2 do told[group[field]] = group[field + 1] end
    local oldest = told['last-delivered-id']
    if told.pending > 0 then oldest = redis.call('XPENDING', KEYS[1], told.name)[2] end
    if not needed or later(needed, oldest) then needed = oldest end
end
if needed then redis.call('XTRIM', KEYS[1], 'MINID', '~', needed) end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return true
