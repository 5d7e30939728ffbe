-- Have lanes for longer.
--
-- KEYS: those of lane_store.lua
-- ARGV: after those of lane_store.lua: 3 microseconds from now; then for each lane: its key, the token, the seq
-- Returns for each 1 or 0 in one word: whether they were this worker's still.
local due, keys, answers, beaten = format('%d', now + tonumber(ARGV[3])), {}, {}, {}
for place = 4, #ARGV, 3 do keys[#keys + 1] = ARGV[place] end
read_lanes(keys)
for place, key in ipairs(keys) do
    local lane, token, seq = lanes[key], tonumber(ARGV[2 + 3 * place]), tonumber(ARGV[3 + 3 * place])
    local owns = lane and lane.condition == 'running' and lane.token == token and lane.head_seq == seq
    answers[place] = owns and '1' or '0'
    if owns then
        beaten[#beaten + 1] = due
        beaten[#beaten + 1] = key
    end
end
write_though_memory_is_full()
in_parts('ZADD', TIMERS, beaten)
return table.concat(answers)
