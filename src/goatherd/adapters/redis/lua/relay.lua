-- Call the watchers of a job with events that another server keeps, and remember afterwards how far they were told.
--
-- KEYS: 1 the last position that was told (string)
-- ARGV: 1 the watchers' channel    2 milliseconds to remember it
--       then for each event: epoch, seq, and the line about it, '' if watchers must look for themselves
-- Returns how many events were told.
local epoch, seq = string.match(redis.call('GET', KEYS[1]) or '', '^(%x+)-(%d+)$')
seq = tonumber(seq or 0)
local lines = {}
for place = 3, #ARGV, 3 do
    local event_epoch, event_seq = ARGV[place], tonumber(ARGV[place + 1])
    if event_epoch ~= epoch or event_seq > seq then
        epoch, seq = event_epoch, event_seq
        lines[#lines + 1] = ARGV[place + 2]
    end
end
if #lines > 0 then redis.call('PUBLISH', ARGV[1], table.concat(lines, '\n')) end
if epoch then redis.call('SET', KEYS[1], epoch .. '-' .. seq, 'PX', ARGV[2]) end
return #lines
