-- Append events to a job: its log, its state, its text, the feed of routers and the call to its watchers, in one step.
-- What may be written is decided as in goatherd.model.admission.
--
-- KEYS: 1 state (hash), 2 log (stream), 3 text (string); if routers are to hear of it also 4 the feed's shard (stream),
--       5 events dropped from it (string)
-- ARGV: 1 the server's lineage, '' if unknown      2 an epoch that was never used
--       3 the watchers' channel, '' if another server calls them: then routers need tokens, too
--       4 milliseconds to keep the job             5 events to keep
--       6 attempt                                  7 its run, '' for the platform    8 number of the first event
--       9 how many events; then for each: kind, body, '1' if the text so far is void, what the text grows by,
--       how many fields of the state get another value, and each of them with its value
--       after them, if routers are to hear of it: the job's id; and of the feed in one word each the milliseconds to
--       keep it, the events to keep before and after the first router came, and the bytes of the largest body
-- Returns the answer, epoch, seq, and with a gap the number expected, when fenced off the attempt that writes.
local lineage, new_epoch, channel, ttl, limit = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local attempt, run, number, count = tonumber(ARGV[6]), ARGV[7], tonumber(ARGV[8]), tonumber(ARGV[9])
local kind, last = ARGV[10], tonumber(ARGV[8]) + tonumber(ARGV[9]) - 1

local fields = {'epoch', 'seq', 'attempt', 'run', 'number', 'status', 'closed', 'lineage', 'size'}
local known = {}
for place, value in ipairs(redis.call('HMGET', KEYS[1], unpack(fields))) do known[fields[place]] = value end
local epoch, seq, size = known.epoch, tonumber(known.seq or 0), tonumber(known.size or 0)
-- A server short of memory may have dropped the text alone: then what is left of the job is not worth keeping.
if epoch and redis.call('STRLEN', KEYS[3]) ~= size then epoch, seq, size = false, 0, 0 end

local skip, begins, renames = 0, not epoch, false
if not epoch then
    if number > 1 and kind ~= 'snapshot' then return {'gap', '', 0, 1} end
else
    local newest, newest_run = tonumber(known.attempt), known.run
    local written = 0
    if attempt == newest and run == newest_run then written = tonumber(known.number) end
    local over = attempt > 0 and attempt < newest
    if attempt == newest then over = run ~= '' and run < newest_run end
    if over then return {'fenced', epoch, seq, newest} end
    local duplicate = kind == 'queued' or (kind == 'retrying' and known.status == 'retrying' and attempt == newest)
    if run ~= '' then duplicate = last <= written end
    if duplicate then return {'duplicate', epoch, seq, 0} end
    if known.closed == '1' then return {'closed', epoch, seq, 0} end
    if run ~= '' then
        if number > written + 1 and kind ~= 'snapshot' then return {'gap', epoch, seq, written + 1} end
        skip = math.max(0, written + 1 - number)
    elseif attempt <= newest then
        attempt, run, last = newest, newest_run, tonumber(known.number)
    end
    begins = kind == 'snapshot' and skip == 0
    renames = not begins and lineage ~= '' and lineage ~= known.lineage
end
if run == '' then last = 0 end

local changes = {}
if begins then
    redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
    epoch, size = new_epoch, 0
elseif renames then
    changes.former_epoch, changes.former_seq = epoch, seq
    epoch = new_epoch
end

local lines, fed, place = {}, KEYS[4] and {}, 10
for event = 1, count do
    local event_kind, body, voids, text, pairs_ahead = unpack(ARGV, place, place + 4)
    local following = place + 5 + 2 * tonumber(pairs_ahead)
    if event > skip then
        seq = seq + 1
        redis.call('XADD', KEYS[2], 'MAXLEN', '~', limit, '0-' .. seq, 'k', event_kind, 'd', body)
        if voids == '1' then
            redis.call('DEL', KEYS[3])
            size = 0
        end
        if text ~= '' then size = redis.call('APPEND', KEYS[3], text) end
        for field = place + 5, following - 1, 2 do changes[ARGV[field]] = ARGV[field + 1] end
        local id = epoch .. '-' .. seq
        lines[#lines + 1] = id .. ' ' .. event_kind .. ' ' .. body
        if fed and (event_kind ~= 'token' or channel == '') then fed[#fed + 1] = {id, event_kind, body} end
    end
    place = following
end

changes.epoch, changes.seq, changes.size = epoch, seq, size
changes.attempt, changes.run, changes.number = attempt, run, last
if lineage ~= '' then changes.lineage = lineage end
local flat = {}
for field, value in pairs(changes) do
    flat[#flat + 1] = field
    flat[#flat + 1] = value
end
redis.call('HSET', KEYS[1], unpack(flat))
for key = 1, 3 do redis.call('PEXPIRE', KEYS[key], ttl) end

if fed and #fed > 0 then
    local job = ARGV[place]
    local keep, unrouted, routed, largest = string.match(ARGV[place + 1], '(%d+) (%d+) (%d+) (%d+)')
    for _, event in ipairs(fed) do
        local body = event[3]
        if #body > tonumber(largest) then body = '' end
        redis.call('XADD', KEYS[4], '*', 'job', job, 'id', event[1], 'k', event[2], 'd', body)
    end
    redis.call('PEXPIRE', KEYS[4], keep)
    local length = redis.call('XLEN', KEYS[4])
    -- Looked at now and then only: streams are trimmed by about a hundred events at a time.
    if length > tonumber(unrouted) and length % 100 < #fed then
        if #redis.call('XINFO', 'GROUPS', KEYS[4]) > 0 then unrouted = routed end
        local dropped = redis.call('XTRIM', KEYS[4], 'MAXLEN', '~', unrouted)
        if dropped > 0 then
            redis.call('INCRBY', KEYS[5], dropped)
            redis.call('PEXPIRE', KEYS[5], keep)
        end
    end
end
if channel ~= '' then redis.call('PUBLISH', channel, table.concat(lines, '\n')) end
return {'ok', epoch, seq, 0}
