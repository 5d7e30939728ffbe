-- How far the group is behind on one shard, and forget its members that are long gone and owe nothing.
--
-- KEYS: 1 the shard (stream)
-- ARGV: 1 the group    2 milliseconds of silence after which a member is gone
-- Returns how many events nobody has taken, how many were not settled, and the id of the oldest that nobody has taken.
local groups = redis.pcall('XINFO', 'GROUPS', KEYS[1])
-- Without its stream there is nothing to be behind with.
if groups.err then return {0, 0, ''} end
for _, group in ipairs(groups) do
    local told = {}
    for field = 1, #group, 2 do told[group[field]] = group[field + 1] end
    if told.name == ARGV[1] then
        for _, member in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
            local one = {}
            for field = 1, #member, 2 do one[member[field]] = member[field + 1] end
            if one.pending == 0 and one.idle > tonumber(ARGV[2]) then
                redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], one.name)
            end
        end
        local first = redis.call('XRANGE', KEYS[1], '(' .. told['last-delivered-id'], '+', 'COUNT', 1)
        if #first == 0 then return {0, told.pending, ''} end
        -- Servers that cannot tell are asked to count, up to a limit.
        local waiting = told.lag
        if not waiting then
            waiting = #redis.call('XRANGE', KEYS[1], '(' .. told['last-delivered-id'], '+', 'COUNT', 1000)
        end
        return {waiting, told.pending, first[1][1]}
    end
end
local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)
return {redis.call('XLEN', KEYS[1]), 0, #first > 0 and first[1][1] or ''}
