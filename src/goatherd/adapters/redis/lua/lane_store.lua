-- Lanes as every script of theirs sees them; this stands in front of each.
--
-- KEYS: 1 lanes (hash): key -> what `unpacked` tells
--       2 jobs (hash): key, zero byte, place -> job; the places of a lane follow one another
--       3 ready (sorted set, in the order of its members): queue, turn, key of each lane that may be claimed
--       4 timers (sorted set): lanes that run or wait, by when that ends
--       5 held (sorted set): lanes that wait for an operator, by since when
--       6 later (sorted set): jobs that join their lane, by when     7 delayed (hash): the same jobs
--       8 letters (sorted set, in the order of its members): see lane_letters.lua
--       9 the highest number ever given (string)
-- ARGV: 1 the time, 0 for the server's own     2 the channel where workers are called
--
-- All times are microseconds since the epoch. A job is: when it was accepted or falls due, and its seq, of 16 digits
-- each; then what the sender wrote: 8 digits for the length of its head, the head (id, queue, policy), the content.
-- Lua writes large numbers with an exponent unless it is told otherwise, hence all the formats.
local LANES, JOBS, READY, TIMERS, HELD, LATER, DELAYED, LETTERS, MARK = unpack(KEYS, 1, 9)
-- Seconds without any change after which the clock alone makes numbers grow.
local REMEMBER_MARK = 7 * 24 * 3600
local call, format, sub, max = redis.call, string.format, string.sub, math.max

local now = tonumber(ARGV[1])
if now == 0 then
    local time = call('TIME')
    now = time[1] * 1000000 + time[2]
end

-- Lanes that were read, by key, false where there is none; those to be written; and where they go.
local lanes, touched, timers, woken = {}, {}, {}, {}
local new_jobs, gone_jobs, new_ready, new_turns = {}, {}, {}, {}
local mark = tonumber(call('GET', MARK) or '0')
local mark_before = mark

-- A server whose memory is full refuses a script's first write if that takes memory; a script that has written
-- before goes on. All that keeps lanes moving must, or no memory would ever be free again.
local function write_though_memory_is_full() call('ZREM', READY, '') end

-- A number greater than all before it, also those of a store that was lost.
local function number()
    mark = max(mark + 1, now)
    return mark
end

-- Commands take some thousand arguments at most; an even number of them, for they may be pairs.
local function in_parts(command, key, arguments)
    for first = 1, #arguments, 4000 do
        call(command, key, unpack(arguments, first, math.min(first + 3999, #arguments)))
    end
end

local function values(key, fields)
    if #fields <= 4000 then return #fields > 0 and call('HMGET', key, unpack(fields)) or {} end
    local found = {}
    for first = 1, #fields, 4000 do
        local part = call('HMGET', key, unpack(fields, first, math.min(first + 3999, #fields)))
        for place, value in ipairs(part) do found[first + place - 1] = value end
    end
    return found
end

local function packed(lane)
    return cmsgpack.pack(
        lane.head, lane.tail, lane.seq, lane.condition, lane.since, lane.queue, lane.varied, lane.turn, lane.token,
        lane.head_seq, lane.deaths, lane.worker, lane.burial
    )
end

local function unpacked(value)
    local head, tail, seq, condition, since, queue, varied, turn, token, head_seq, deaths, worker, burial =
        cmsgpack.unpack(value)
    -- Places of the first and last job; the last seq; ready, running, waiting or held, since when; the head's queue;
    -- whether a job behind the head is of another queue or not due; its turn among the ready; the newest token and the
    -- seq it is for; leases of the head that ran out; who has it; why it is held.
    return {
        head = head, tail = tail, seq = seq, condition = condition, since = since, queue = queue, varied = varied,
        turn = turn, token = token, head_seq = head_seq, deaths = deaths, worker = worker, burial = burial,
    }
end

local function read_lanes(keys)
    local unknown = {}
    for _, key in ipairs(keys) do
        if lanes[key] == nil then
            lanes[key] = false
            unknown[#unknown + 1] = key
        end
    end
    for place, value in ipairs(values(LANES, unknown)) do
        if value then lanes[unknown[place]] = unpacked(value) end
    end
end

local function field(key, place) return key .. '\0' .. format('%d', place) end

-- When a job is due, what its head says, and where its content begins.
local function job_parts(job)
    local content = 41 + tonumber(sub(job, 33, 40))
    return tonumber(sub(job, 1, 16)), cmsgpack.unpack(sub(job, 41, content - 1)), content
end

-- Where the ready lanes of a queue begin, and all of them are below that with a colon, which follows the digits.
local prefixes = {}
local function ready_prefix(queue)
    prefixes[queue] = prefixes[queue] or #queue .. ':' .. queue
    return prefixes[queue]
end

local function first_ready(queue, count)
    local prefix = ready_prefix(queue)
    return call('ZRANGEBYLEX', READY, '[' .. prefix, '(' .. prefix .. ':', 'LIMIT', 0, count)
end

local function change_condition(key, lane, condition)
    if lane.condition == 'running' or lane.condition == 'waiting' then timers[key] = false end
    if lane.condition == 'held' then call('ZREM', HELD, key) end
    lane.condition, lane.since, lane.worker, lane.burial = condition, now, '', ''
    touched[key] = true
end

-- It may be claimed: after all others, unless it has its turn already.
local function make_ready(key, lane, turn)
    change_condition(key, lane, 'ready')
    lane.turn = turn or number()
    local shown_turn = format('%016d', lane.turn)
    new_ready[#new_ready + 1] = '0'
    new_ready[#new_ready + 1] = ready_prefix(lane.queue) .. shown_turn .. key
    new_turns[shown_turn] = true
    woken[lane.queue] = true
end

local function make_wait(key, lane, due)
    if due <= now then return make_ready(key, lane) end
    change_condition(key, lane, 'waiting')
    timers[key] = format('%d', due)
end

local function forget(key, lane)
    change_condition(key, lane, '')
    mark = max(mark, lane.tail, lane.seq)
    lanes[key] = false
end

-- The head has left: the lane goes on with the next, if there is one.
local function go_on(key, lane)
    lane.head, lane.deaths = lane.head + 1, 0
    if lane.head > lane.tail then return forget(key, lane) end
    local due = 0
    if lane.varied then
        local job = call('HGET', JOBS, field(key, lane.head))
        if job then
            local head
            due, head = job_parts(job)
            lane.queue = head[2]
        end
    end
    make_wait(key, lane, due)
end

-- Put a job at the end of its lane; tells how many are before it.
local function put(key, queue, due, written)
    local lane = lanes[key]
    local begins = not lane
    if begins then
        local first = number()
        lane = {
            head = first, tail = first - 1, seq = first - 1, condition = '', queue = queue, varied = false, turn = 0,
            token = 0, head_seq = 0, deaths = 0,
        }
        lanes[key] = lane
    end
    lane.tail, lane.seq = lane.tail + 1, max(lane.seq + 1, now)
    new_jobs[#new_jobs + 1] = field(key, lane.tail)
    new_jobs[#new_jobs + 1] = format('%016d%016d', due, lane.seq) .. written
    touched[key] = true
    if begins then
        make_wait(key, lane, due)
    elseif queue ~= lane.queue or due > now then
        lane.varied = true
    end
    return lane.tail - lane.head
end

-- Give the head another content, and let it be due now at the latest.
local function rewrite(key, lane, content)
    local job = call('HGET', JOBS, field(key, lane.head))
    if not job then return end
    local due, _, begins = job_parts(job)
    local written = format('%016d', math.min(due, now)) .. sub(job, 17, begins - 1) .. (content or sub(job, begins))
    call('HSET', JOBS, field(key, lane.head), written)
end

-- Jobs of following places become letters: numbers that follow one another stand for them.
local function make_letters(key, first, last, burial, behind)
    local letter = number()
    mark = letter + last - first
    local range = cmsgpack.pack(key, first, first, last, last - first + 1, burial, behind)
    call('ZADD', LETTERS, 0, format('%016d', letter) .. range)
end

-- Id, queue and policy of the head.
local function head_of(key, lane)
    local job = call('HGET', JOBS, field(key, lane.head))
    if not job then return { '', lane.queue, 'skip' } end
    local _, head = job_parts(job)
    return head
end

-- The head is given up: the lane waits for an operator, or goes on, or ends with it.
local function give_up(key, lane, policy, burial)
    if policy == 'hold' then
        change_condition(key, lane, 'held')
        lane.burial = burial
        call('ZADD', HELD, now, key)
        return
    end
    make_letters(key, lane.head, lane.head, burial, '')
    if policy == 'skip' then return go_on(key, lane) end
    if lane.tail > lane.head then
        make_letters(key, lane.head + 1, lane.tail, burial, head_of(key, lane)[1])
    end
    forget(key, lane)
end

-- What claims look at next.
local function save_jobs()
    in_parts('HDEL', JOBS, gone_jobs)
    in_parts('HSET', JOBS, new_jobs)
    in_parts('ZADD', READY, new_ready)
    new_jobs, gone_jobs, new_ready = {}, {}, {}
end

local function save_lanes()
    local written, ended, due, over = {}, {}, {}, {}
    for key in pairs(touched) do
        if lanes[key] then
            written[#written + 1] = key
            written[#written + 1] = packed(lanes[key])
        else
            ended[#ended + 1] = key
        end
    end
    for key, when in pairs(timers) do
        if when then
            due[#due + 1] = when
            due[#due + 1] = key
        else
            over[#over + 1] = key
        end
    end
    in_parts('HSET', LANES, written)
    in_parts('HDEL', LANES, ended)
    in_parts('ZADD', TIMERS, due)
    in_parts('ZREM', TIMERS, over)
    if mark > mark_before then call('SET', MARK, format('%d', mark), 'EX', REMEMBER_MARK) end
end

local function wake_workers()
    for queue in pairs(woken) do call('PUBLISH', ARGV[2], queue) end
end
