-- Read a job as of one moment.
--
-- KEYS: 1 state (hash), 2 log (stream), 3 text (string)
-- ARGV: 1 what is wanted beside the state: 'state' (nothing), 'events' or 'text'
--       2 the seq after which events are wanted    3 at most so many of them
-- Returns false for a job that is not known, else the fields of the state, then with 'events' the seq of the first
-- one that is kept and those that are wanted, with 'text' the text.
local state = redis.call('HGETALL', KEYS[1])
if #state == 0 then return false end
local fields = {}
for place = 1, #state, 2 do fields[state[place]] = state[place + 1] end
-- See append.lua: a job whose text was dropped is as good as gone.
if redis.call('STRLEN', KEYS[3]) ~= tonumber(fields.size) then return false end
if ARGV[1] == 'text' then return {state, redis.call('GET', KEYS[3]) or ''} end
if ARGV[1] == 'state' then return {state} end

local first = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)
local first_seq = tonumber(fields.seq) + 1
if #first > 0 then first_seq = tonumber(string.match(first[1][1], '%d+$')) end
return {state, first_seq, redis.call('XRANGE', KEYS[2], '(0-' .. ARGV[2], '+', 'COUNT', ARGV[3])}
