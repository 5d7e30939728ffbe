-- Take commands from the left of a list; each gets a key of its own and is kept until it is removed by that.
--
-- KEYS: 1 the list    2 what was taken (hash)
-- ARGV: 1 what the new keys begin with, never used before    2 how many at most
-- Gives key, command, key, command …
local taken = {}
for number = 1, tonumber(ARGV[2]) do
    local command = redis.call('LPOP', KEYS[1])
    if not command then break end
    local key = ARGV[1] .. ':' .. number
    redis.call('HSET', KEYS[2], key, command)
    taken[#taken + 1] = key
    taken[#taken + 1] = command
end
return taken
