-- Settle what a worker had, see to what is due, and give it the heads of lanes that are ready; a call that is repeated
-- changes nothing.
--
-- KEYS: after those of lane_store.lua: 10 the worker's last exchange (string)
-- ARGV: after those of lane_store.lua
--       3 the exchange's number    4 milliseconds to remember it    5 the worker    6 claims wanted
--       7 microseconds of a lease  8 how many due things to see to of each kind
--       9 how many queues; then these; then for each settlement its kind, lane, token and seq, and with
--       again: the delay in microseconds and the content; give_up: the policy, '' for the head's own, and the burial
-- Returns for each settlement 1 or 0 in one word; 1 if there are letters; microseconds until the next thing is due, -1
-- if there is none; then for each claim: lane, token, deaths, job. Nothing at all if the worker has made another
-- exchange since.
local order, remember, worker, wanted = tonumber(ARGV[3]), ARGV[4], ARGV[5], tonumber(ARGV[6])
local lease, most_due, queue_count = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
-- When the next job joins its lane.
local next_join
local ARGUMENTS = { commit = 4, release = 4, again = 6, give_up = 6 }

local last, served, settled, claimed = -1, '', '', {}
local known = call('GET', KEYS[10])
if known then last, served, settled, claimed = cmsgpack.unpack(known) end

local function is_owner(lane, token, seq)
    return lane and lane.condition == 'running' and lane.token == token and lane.head_seq == seq
end

local function settle(kind, key, lane, first, second)
    if kind == 'commit' then
        gone_jobs[#gone_jobs + 1] = field(key, lane.head)
        go_on(key, lane)
    elseif kind == 'release' then
        make_ready(key, lane, lane.turn)
    elseif kind == 'again' then
        rewrite(key, lane, second)
        lane.deaths = 0
        make_wait(key, lane, now + tonumber(first))
    else
        give_up(key, lane, first ~= '' and first or head_of(key, lane)[3], second)
    end
end

local function settle_all()
    local keys, answers, place = {}, {}, 10 + queue_count
    while place <= #ARGV do
        keys[#keys + 1] = ARGV[place + 1]
        place = place + ARGUMENTS[ARGV[place]]
    end
    read_lanes(keys)
    place = 10 + queue_count
    while place <= #ARGV do
        local kind, key, token, seq, first, second = unpack(ARGV, place, place + 5)
        local owns = is_owner(lanes[key], tonumber(token), tonumber(seq))
        if owns then settle(kind, key, lanes[key], first, second) end
        answers[#answers + 1] = owns and '1' or '0'
        place = place + ARGUMENTS[kind]
    end
    return table.concat(answers)
end

local function end_what_is_due()
    local due = call('ZRANGEBYSCORE', TIMERS, '-inf', now, 'LIMIT', 0, most_due)
    read_lanes(due)
    for _, key in ipairs(due) do
        local lane = lanes[key]
        -- What was settled a moment ago has another time, which is not written yet.
        if timers[key] == nil then
            if lane then
                if lane.condition == 'running' then lane.deaths = lane.deaths + 1 end
                make_ready(key, lane)
            else
                timers[key] = false
            end
        end
    end
end

local function join_what_is_due()
    local first = call('ZRANGE', LATER, 0, 0, 'WITHSCORES')[2]
    next_join = tonumber(first)
    if not first or next_join > now then return end
    local due = call('ZRANGEBYSCORE', LATER, '-inf', now, 'WITHSCORES', 'LIMIT', 0, most_due)
    local places, jobs, keys = {}, {}, {}
    for place = 1, #due, 2 do places[#places + 1] = due[place] end
    for place, job in ipairs(values(DELAYED, places)) do
        if job then
            local key, queue, written = cmsgpack.unpack(job)
            jobs[#jobs + 1] = { key, queue, tonumber(due[2 * place]), written }
            keys[#keys + 1] = key
        end
    end
    call('ZREM', LATER, unpack(places))
    call('HDEL', DELAYED, unpack(places))
    read_lanes(keys)
    for _, job in ipairs(jobs) do put(unpack(job)) end
    next_join = tonumber(call('ZRANGE', LATER, 0, 0, 'WITHSCORES')[2])
end

-- Ready lanes of the queues in turn, beginning with the queue after the one that was served last; and for each queue
-- the first that is left.
local function next_ready()
    local queues, waiting, taken, first = {}, {}, {}, 0
    for place = 1, queue_count do
        queues[place] = ARGV[9 + place]
        if queues[place] == served then first = place end
    end
    for place, queue in ipairs(queues) do waiting[place], taken[place] = first_ready(queue, wanted + 1), 0 end
    local members, keys = {}, {}
    local found = true
    while found and #keys < wanted do
        found = false
        for step = 1, queue_count do
            local place = (first + step - 1) % queue_count + 1
            local member = waiting[place][taken[place] + 1]
            if member and #keys < wanted then
                found, served, taken[place] = true, queues[place], taken[place] + 1
                members[#members + 1] = member
                keys[#keys + 1] = sub(member, #ready_prefix(served) + 17)
            end
        end
    end
    in_parts('ZREM', READY, members)
    local left = {}
    for place, queue in ipairs(queues) do left[queue] = waiting[place][taken[place] + 1] or false end
    return keys, left
end

local function heads_of(keys)
    local fields = {}
    for place, key in ipairs(keys) do fields[place] = lanes[key] and field(key, lanes[key].head) or '' end
    return values(JOBS, fields)
end

local function give(claims, key, lane, job)
    local count = #claims
    claims[count + 1], claims[count + 2], claims[count + 3], claims[count + 4] = key, lane.token, lane.deaths, job
end

local function claim(claims)
    local keys, left = next_ready()
    local lease_ends = format('%d', now + lease)
    read_lanes(keys)
    local jobs = heads_of(keys)
    for place, key in ipairs(keys) do
        local lane, job = lanes[key], jobs[place]
        -- A server that may throw things away when its memory is full may have thrown away the job alone.
        if lane and not job then
            go_on(key, lane)
        elseif lane then
            change_condition(key, lane, 'running')
            lane.token, lane.head_seq, lane.worker = number(), tonumber(sub(job, 17, 32)), worker
            timers[key] = lease_ends
            claimed[#claimed + 1] = key
            claimed[#claimed + 1] = lane.token
            give(claims, key, lane, job)
        end
    end
    return left
end

-- What the worker was given, as far as it still has it.
local function claims_of_last_time(claims)
    local keys, tokens = {}, {}
    for place = 1, #claimed, 2 do
        keys[#keys + 1] = claimed[place]
        tokens[#tokens + 1] = claimed[place + 1]
    end
    read_lanes(keys)
    for place, job in ipairs(heads_of(keys)) do
        local key = keys[place]
        local lane = lanes[key]
        if job and is_owner(lane, tokens[place], lane and lane.head_seq) then
            give(claims, key, lane, job)
        end
    end
end

-- Workers of a queue are called if the first lane that is left is one that was made ready here. Where others waited
-- before, whoever could take one knows of it.
local function wake_others(left)
    for queue in pairs(woken) do
        local first = left[queue]
        if first == nil then first = first_ready(queue, 1)[1] end
        if not first or not new_turns[sub(first, #ready_prefix(queue) + 1, #ready_prefix(queue) + 16)] then
            woken[queue] = nil
        end
    end
    wake_workers()
end

local function answer(claims)
    local due = tonumber(call('ZRANGE', TIMERS, 0, 0, 'WITHSCORES')[2]) or next_join
    if due and next_join then due = math.min(due, next_join) end
    claims[1], claims[2], claims[3] = settled, call('EXISTS', LETTERS), due and max(0, due - now) or -1
    return claims
end

local claims = { '', 0, 0 }
if order == last then
    next_join = tonumber(call('ZRANGE', LATER, 0, 0, 'WITHSCORES')[2])
    claims_of_last_time(claims)
elseif order < last then
    return {}
else
    write_though_memory_is_full()
    claimed = {}
    settled = settle_all()
    end_what_is_due()
    join_what_is_due()
    save_jobs()
    local left = wanted > 0 and queue_count > 0 and claim(claims) or {}
    save_jobs()
    save_lanes()
    call('SET', KEYS[10], cmsgpack.pack(order, served, settled, claimed), 'PX', remember)
    wake_others(left)
end
return answer(claims)
