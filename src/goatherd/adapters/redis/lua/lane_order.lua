-- An operator's order to one lane; one that is repeated changes nothing.
--
-- KEYS: after those of lane_store.lua: 10 the answer to this order (string)
-- ARGV: after those of lane_store.lua: 3 milliseconds to remember the answer    4 retry, skip or unblock    5 the lane
--       6 with retry the new content, with skip the burial    7 with retry whether there is a new content, 1 or 0
--       8 with retry and skip the seq that its head must have, or nothing
-- Returns 1, or 0 if the lane is in no condition for it.
local known = call('GET', KEYS[10])
if known then return tonumber(known) end
write_though_memory_is_full()
local order, key = ARGV[4], ARGV[5]
read_lanes({ key })
local lane, done = lanes[key], 0
local stands = lane and (lane.condition == 'held' or lane.condition == 'waiting')
if stands and ARGV[8] and ARGV[8] ~= '' then
    local job = call('HGET', JOBS, field(key, lane.head))
    stands = job and sub(job, 17, 32) == format('%016d', ARGV[8])
end
if order == 'retry' and stands then
    rewrite(key, lane, ARGV[7] == '1' and ARGV[6] or nil)
    lane.deaths, done = 0, 1
    make_ready(key, lane)
elseif order == 'skip' and stands then
    give_up(key, lane, 'skip', ARGV[6])
    done = 1
elseif order == 'unblock' and lane and lane.condition == 'running' then
    make_ready(key, lane, lane.turn)
    done = 1
end
save_jobs()
save_lanes()
call('SET', KEYS[10], done, 'PX', ARGV[3])
wake_workers()
return done
