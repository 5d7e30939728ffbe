-- Have the group of routers on every shard, from the first event that is kept.
--
-- KEYS: the shards (streams)
-- ARGV: 1 the group    2 milliseconds to keep a shard
for _, key in ipairs(KEYS) do
    local made = redis.pcall('XGROUP', 'CREATE', key, ARGV[1], '0', 'MKSTREAM')
    if made.err and not string.find(made.err, 'BUSYGROUP') then return made end
    redis.call('PEXPIRE', key, ARGV[2])
end
return true
