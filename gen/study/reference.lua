-- What a study compares with: the model's exact solution where it has one for these parameters, written at the very times
-- of each result; otherwise a run of the best scheme at hand with much smaller steps.

local reference = {}

local SAMPLES = 20000 -- of the curve for distances of graphs: chords are off by (T/SAMPLES)^2 |x''|/8
local AFTER = 1e-13   -- relative; limits of the solution are taken this far before and after an event

-- Values for `exact`: parameters as assigned; nil when something else was assigned (an initial value, an input), since the
-- solution belongs to the model's own start.
local function parameters_of(model, assignments)
  local values, known = {}, {}
  for _, p in ipairs(model.parameters) do
    values[p.name], known[p.name] = p.value, true
  end
  for _, a in ipairs(assignments) do
    if not known[a.name] then return nil, ("the exact solution belongs to another start than --set %s"):format(a.name) end
    values[a.name] = a.value
  end
  return values
end

--- The exact solution for these assignments: { at = function(t), events = list, positions =, velocities = names it gives };
--- nil and why not when there is none.
function reference.exact(model, assignments, T)
  if not model.exact then return nil, "the model has no exact solution" end
  local values, why = parameters_of(model, assignments)
  if not values then return nil, why end
  local exact = { at = function(t) return model.exact(t, values) end, positions = {}, velocities = {} }
  local early, late = exact.at(0.37 * T), exact.at(T)
  for _, c in ipairs(model.coordinates) do
    local v = c.name .. ".dot"
    if early[c.name] and late[c.name] then exact.positions[#exact.positions + 1] = c.name end
    if early[v] and late[v] then exact.velocities[#exact.velocities + 1] = v end
  end
  if #exact.positions == 0 then return nil, "the exact solution is not known for these parameters" end
  exact.events = model.events and model.events(T, values) or {}
  return exact
end

--- What is compared: list of { label = "q" | "v" | ..., names = columns of the result }.
function reference.columns(exact)
  local list = { { label = "q", names = exact.positions } }
  if #exact.velocities > 0 then list[2] = { label = "v", names = exact.velocities } end
  if exact.more then list[#list + 1] = { label = exact.more.label, names = { exact.more.name } } end
  return list
end

--- The same solution with one more column: more = { label =, name =, value = function(t, x) }.
function reference.with(exact, more)
  return { positions = exact.positions, velocities = exact.velocities, events = exact.events, more = more,
    at = function(t)
      local x = exact.at(t)
      x[more.name] = more.value(t, x)
      return x
    end }
end

local function header(exact)
  local names = { "t" }
  for _, column in ipairs(reference.columns(exact)) do
    table.move(column.names, 1, #column.names, #names + 1, names)
  end
  return names
end

local function row(names, t, x)
  local cells = { ("%.17g"):format(t) }
  for i = 2, #names do cells[i] = ("%.17g"):format(x[names[i]] or 0 / 0) end
  return table.concat(cells, ",")
end

--- The exact solution at the times of a result file, as a csv text.
function reference.at_times_of(exact, result)
  local names = header(exact)
  local lines = { table.concat(names, ",") }
  for number in result:gmatch("\n([%d.eE+-]+),") do
    local t = tonumber(number)
    lines[#lines + 1] = row(names, t, exact.at(t))
  end
  return table.concat(lines, "\n") .. "\n"
end

--- The exact solution as closely sampled graphs, both limits at every event, as a csv text.
function reference.graph(exact, T)
  local names = header(exact)
  local lines, next_event = { table.concat(names, ",") }, 1
  for i = 0, SAMPLES do
    local t = T * i / SAMPLES
    while exact.events[next_event] and exact.events[next_event] <= t do
      local event = exact.events[next_event]
      if event > 0 and event < T then
        lines[#lines + 1] = row(names, event, exact.at(event * (1 - AFTER)))
        lines[#lines + 1] = row(names, event, exact.at(event * (1 + AFTER)))
      end
      next_event = next_event + 1
    end
    lines[#lines + 1] = row(names, t, exact.at(t))
  end
  return table.concat(lines, "\n") .. "\n"
end

--- Schemes for a reference of our own, the best first, each with how many times smaller its steps are than the finest ones
--- of the study.
function reference.schemes(model, catalogue)
  local list = {}
  if #model.contacts == 0 then
    list[#list + 1] = { scheme = "D-:M=4,quadrature=lobatto", finer = 4 }
  else
    if catalogue.family "capture" then list[#list + 1] = { scheme = "capture:rk=radau5", finer = 4 } end
    list[#list + 1] = { scheme = "D-:M=1", finer = 16 }
  end
  list[#list + 1] = { scheme = "moreau-jean:theta=0.5", finer = 32 }
  return list
end

return reference
