-- Put jobs at the end of their lanes, in order; a call that is repeated changes nothing.
--
-- KEYS: after those of lane_store.lua
--       10 the answer to this part of the sender's call, 11 the same of its first part (strings)
--       then for each job with an id that the user chose: whether it is known (string)
-- ARGV: after those of lane_store.lua
--       3 the call's number    4 milliseconds to remember its answer    5 milliseconds to remember ids
--       then for each job: lane, queue, its terms, and the job as the sender wrote it
--       terms: '' for none, else its limit (-1 for none), its delay in microseconds, 1 if it keeps its place
--       meanwhile, and 1 if the user chose its id
-- Returns for each job how many are before it, -1 if it joins later, -2 if its id is known, -3 if the lane is full;
-- nothing at all if the sender has made another call since.
local order, keep_answer, keep_ids = tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5])

local function last_call(key)
    local found = call('GET', key)
    if found then return cmsgpack.unpack(found) end
    return -1
end

local last, answers = last_call(KEYS[10])
if order == last then return answers end
if order < last or (KEYS[11] ~= KEYS[10] and last_call(KEYS[11]) ~= order) then return {} end

local keys = {}
for place = 6, #ARGV, 4 do keys[#keys + 1] = ARGV[place] end
read_lanes(keys)

local named, full = 11, {}
local function placed(key, queue, terms, written)
    if terms == '' then
        if full[key] then return -3 end
        return put(key, queue, now, written)
    end
    local limit, delay, keeps_place, is_named = string.match(terms, '^(%-?%d+) (%d+) ([01]) ([01])$')
    limit, delay = tonumber(limit), tonumber(delay)
    local id
    if is_named == '1' then
        named = named + 1
        id = KEYS[named]
        if tonumber(call('GET', id) or '0') > now then return -2 end
    end
    local lane, answer = lanes[key], -1
    local joins_later = delay > 0 and keeps_place == '0'
    local length = lane and not joins_later and lane.tail - lane.head + 1 or 0
    if limit >= 0 and length >= limit then full[key] = true end
    if full[key] then return -3 end
    if joins_later then
        local place = format('%016d', number())
        call('ZADD', LATER, now + delay, place)
        call('HSET', DELAYED, place, cmsgpack.pack(key, queue, written))
    else
        answer = put(key, queue, now + delay, written)
    end
    if id then call('SET', id, format('%d', now + keep_ids * 1000), 'PX', keep_ids) end
    return answer
end

answers = {}
for place = 6, #ARGV, 4 do
    answers[#answers + 1] = placed(ARGV[place], ARGV[place + 1], ARGV[place + 2], ARGV[place + 3])
end
save_jobs()
save_lanes()
call('SET', KEYS[10], cmsgpack.pack(order, answers), 'PX', keep_answer)
wake_workers()
return answers
