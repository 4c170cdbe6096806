-- Which of the three declared orders a study measures: smooth motion, persistent contact, or impacts. Told by the impulses of
-- the contacts in the results: a force gives a step an impulse that shrinks with h, an atom one that does not.

local fit = require "gen.study.fit"
local fs = require "gen.util.fs"

local phase = {}

--- How the phases are called in tables.
phase.words = { smooth = "in smooth motion", contact = "in persistent contact", impacts = "through impacts" }

local FINEST = 3       -- as many runs are looked at
local SHRINKS = 0.5    -- an atom has the power 0 of h, a force 1
local ROUNDING = 1e-9  -- of the whole impulse

-- The places of the contacts' impulses in the first line of a result.
local function places(head, contacts)
  local wanted, list, i = {}, {}, 0
  for _, contact in ipairs(contacts) do wanted[contact.name .. ".impulse"] = true end
  for name in head:gmatch("[^,]+") do
    i = i + 1
    if wanted[name] then list[#list + 1] = i end
  end
  return list
end

-- The largest peak of one contact's impulses per step, and their sum. A peak is what a step has more than those two before and two
-- after it: nothing but O(h^2) where a force acts or sets in, but half an impact even if two steps share it.
local function peak(totals)
  local steps, highest = {}, 0.0
  for k = 2, #totals do steps[k - 1] = totals[k] - totals[k - 1] end
  for k, own in ipairs(steps) do
    highest = math.max(highest, own - math.max(steps[k - 2] or steps[k + 2] or 0.0, steps[k + 2] or steps[k - 2] or 0.0))
  end
  return highest, totals[#totals] - totals[1]
end

--- Peak and sum of the impulses of a result (a text in csv): of the contact with the highest peak, and of all.
function phase.impulses(result, contacts)
  local head = result:match("^[^\n]*")
  local list, histories = places(head, contacts), {}
  for i = 1, #list do histories[i] = {} end
  for line in result:gmatch("\n([^\n]+)") do
    local cells = {}
    for cell in line:gmatch("[^,]+") do cells[#cells + 1] = cell end
    for i, place in ipairs(list) do table.insert(histories[i], tonumber(cells[place]) or 0 / 0) end
  end
  local highest, sum = 0.0, 0.0
  for _, totals in ipairs(histories) do
    local own, all = peak(totals)
    highest, sum = math.max(highest, own), sum + all
  end
  return highest, sum
end

--- "smooth", "contact" or "impacts"; nil where the runs (the longest step first) cannot tell.
function phase.of(model, folder, runs)
  local contacts = model.contacts
  if #contacts == 0 then return "smooth" end
  local h, peaks, pressed, peaked = {}, {}, false, true
  for i = #runs, 1, -1 do
    local run = runs[i]
    if not run.failed and not run.tolerance and #h < FINEST then
      local highest, sum = phase.impulses(fs.need(fs.read(folder .. "/" .. run.name .. ".csv")), contacts)
      pressed, peaked = pressed or sum > 0, peaked and highest > ROUNDING * sum
      h[#h + 1], peaks[#peaks + 1] = run.h, highest
    end
  end
  if #h == 0 then return nil end
  if not pressed then return "smooth" end
  if not peaked then return "contact" end
  local power = fit.slope(h, peaks)
  return power and (power < SHRINKS and "impacts" or "contact")
end

return phase
