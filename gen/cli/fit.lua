-- carom fit: parameters of a model from a measured motion.

local args = require "gen.util.args"
local build = require "gen.cli.build"
local errors = require "gen.cli.errors"
local fs = require "gen.util.fs"
local large = require "gen.cli.large"
local marquardt = require "gen.study.marquardt"
local model = require "gen.cli.model"
local sample = require "gen.study.sample"
local slopes = require "gen.cli.slopes"

local fit = {
  name = "fit",
  usage = "carom fit MODEL DATA.csv --free NAME[=GUESS],... [--scheme S] [--step H] [--set NAME=VALUE]...",
  summary = "parameters of a model from a measured motion",
  text = [[
DATA.csv has a header line with t and names of columns as carom run writes them (coordinates, velocities, gaps, impulses, outputs); rows
need not be at equal times. The free parameters, inputs or initial values are found by least squares (Levenberg and Marquardt), each column
weighted by its spread; between steps results are interpolated. Prints the values with their standard errors, and the carom run that has
them. Derivatives are those of the generated step (carom gen --with tangent); by central differences of whole runs where it has none, where
contacts hit or change in the run, and of columns that are neither coordinates nor velocities: which, is printed. Impacts make such sums of
squares have many hollows: around the first guess (the model's values, --set, or GUESS) so many runs as --scan says are looked at first, and
the search begins at the best.]],
  options = {
    model.options.scheme,
    model.options.set,
    { "--free", value = "NAME,...", text = "what to find, each with a first guess if you like: mass=2,restitution" },
    { "--step", value = "H", text = "step size (default: the model's)" },
    { "--scan", value = "N", text = "runs within 40 % around the guess, the best of which is where to start (default 60)" },
    { "--quiet", short = "-q", text = "print the values only" },
  },
}

-- A table of numbers: names, and columns by name.
local function read_table(path, text)
  local names, columns, rows = nil, {}, 0
  for line in text:gmatch "[^\r\n]+" do
    if line:sub(1, 1) ~= "#" then
      local cells = {}
      for cell in (line .. ","):gmatch "%s*([^,]*),"  do cells[#cells + 1] = (cell:gsub("%s+$", "")) end
      if not names then
        names = cells
        for _, name in ipairs(names) do columns[name] = {} end
      else
        rows = rows + 1
        for i, name in ipairs(names) do
          local x = tonumber(cells[i] or "")
          if not x then args.fail("%s: row %d has no number for %s", path, rows, name) end
          columns[name][rows] = x
        end
      end
    end
  end
  return names or {}, columns, rows
end

-- values of a column at given times, both increasing
local function at_times(t, x, times)
  local list, k = {}, 1
  for i, time in ipairs(times) do
    while k < #t - 1 and t[k + 1] < time do k = k + 1 end
    local width = t[k + 1] - t[k]
    list[i] = x[k] + (x[k + 1] - x[k]) * (width > 0 and (time - t[k]) / width or 0)
  end
  return list
end

local function spread(x)
  local mean, sum = 0, 0
  for _, y in ipairs(x) do mean = mean + y / #x end
  for _, y in ipairs(x) do sum = sum + (y - mean) ^ 2 / #x end
  return sum > 0 and math.sqrt(sum) or 1
end

function fit.run(options)
  local operand, data = options[1], options[2]
  if not data then args.fail("carom fit needs a MODEL and DATA.csv") end
  if options[3] then args.fail("carom fit takes a MODEL and one table; '%s' is too much", options[3]) end
  if not options.free then args.fail("carom fit needs --free NAME,...: what is to be found") end
  local text, why = fs.read(data)
  if not text then args.fail("%s", why) end
  local names, measured, rows = read_table(data, text)
  if not measured.t or #names < 2 or rows < 3 then
    args.fail("%s: a header with t and at least one column, and three rows, are needed", data)
  end
  for i = 2, rows do if measured.t[i] < measured.t[i - 1] then args.fail("%s: times do not increase at row %d", data, i) end end
  local set, free, start = table.move(options.set or {}, 1, #(options.set or {}), 1, {}), {}, {}
  for word in options.free:gmatch "[^,]+" do
    local name, guess = word:match "^([%a_][%w_.]*)=?(.*)$"
    if not name then args.fail("--free %s: write names with commas between", word) end
    free[#free + 1] = name
    if guess ~= "" then start[name] = args.number(guess, "--free " .. name .. ":") end
    set[#set + 1] = ("%s=%.17g"):format(name, start[name] or 0) -- refuses names that are not there
  end
  model.load(operand, set)
  local loaded, rest = model.load(operand, options.set)
  if large.is(loaded) or loaded.among then args.fail("carom fit is for models without meshes and piles") end
  local value = {}
  for _, list in ipairs { loaded.parameters, loaded.inputs } do for _, p in ipairs(list) do value[p.name] = p.value or 0 end end
  for name, at in next, model.pipeline().start(loaded) do value[name] = at.value end -- order does not matter
  for _, a in ipairs(rest) do value[a.name] = a.value end
  local x = {}
  for i, name in ipairs(free) do
    x[i] = start[name] or value[name] or args.fail("--free %s: give a first guess, %s=VALUE", name, name)
  end
  local step = options.step and args.number(options.step, "--step") or loaded.run.step
  if not step or step <= 0 then args.fail("%s does not say its step; write --step H", loaded.name) end
  local unit = model.pipeline().compile(loaded, { scheme = options.scheme })
  local program, _, clean = build.executable(unit)
  local folder = fs.need(fs.temporary_dir())
  local last, unknown = measured.t[rows], nil
  local function residual(y)
    local words = { program, "--quiet", "--result", folder .. "/r.csv", "--step", ("%.17g"):format(step),
      "--until", ("%.17g"):format(last) }
    for _, a in ipairs(rest) do table.move({ "--set", ("%s=%.17g"):format(a.name, a.value) }, 1, 2, #words + 1, words) end
    for i, name in ipairs(free) do table.move({ "--set", ("%s=%.17g"):format(name, y[i]) }, 1, 2, #words + 1, words) end
    if fs.run(fs.command(words) .. " >/dev/null 2>&1") ~= 0 then return nil end
    local _, made = read_table("result", fs.need(fs.read(folder .. "/r.csv")))
    local r = {}
    for _, name in ipairs(names) do
      if name ~= "t" then
        if not made[name] then
          unknown = name
          return nil
        end
        local weight, is = 1 / spread(measured[name]), at_times(made.t, made[name], measured.t)
        for i = 1, rows do r[#r + 1] = (is[i] - measured[name][i]) * weight end
      end
    end
    return r
  end
  local scan = options.scan and args.number(options.scan, "--scan") or 60
  local function best_start()
    local vary, least = {}, nil
    for i, y in ipairs(x) do vary[i] = { low = y - 0.4 * math.abs(y), high = y + 0.4 * math.abs(y) } end
    local points = scan >= 1 and sample.latin(vary, math.floor(scan), 1) or {}
    table.insert(points, 1, x)
    for _, y in ipairs(points) do
      local r, sum = residual(y), 0
      for _, z in ipairs(r or {}) do sum = sum + z * z end
      if r and (not least or sum < least) then x, least = y, sum end
    end
  end
  local function residuals(list)
    local all = {}
    for i, y in ipairs(list) do all[i] = residual(y) or false end
    return all
  end
  local function tell(k, y, size)
    local shown = {}
    for i, name in ipairs(free) do shown[i] = ("%s = %.6g"):format(name, y[i]) end
    print(("%3d  rms %.4g  %s"):format(k, size, table.concat(shown, ", ")))
  end
  local columns, given = {}, table.move(free, 1, #free, 1, {})
  for _, name in ipairs(names) do if name ~= "t" then columns[#columns + 1] = name end end
  local others, is_free = {}, {}
  for _, name in ipairs(free) do is_free[name] = true end
  for _, a in ipairs(rest) do
    if not is_free[a.name] then given[#given + 1], others[#others + 1] = a.name, a.value end
  end
  local run, why_not = slopes.program(function(with)
    return model.pipeline().compile(loaded, { scheme = options.scheme, with = with })
  end, model.pipeline().start(loaded), free, given, columns)
  local clean_slopes = run and why_not or function() end
  local reason = not run and why_not or nil
  -- derivatives of the residuals by the tangent of the step; nil, and never again, where a run has none
  local function jacobian(y)
    if reason then return nil end
    local values = table.move(y, 1, #y, 1, {})
    table.move(others, 1, #others, #values + 1, values)
    local made, why_none = run(last, step, values)
    reason = not made and (why_none or "a step failed") or nil
    if not made then return nil end
    local J = {}
    for j in ipairs(free) do
      J[j] = {}
      for _, name in ipairs(columns) do
        local weight = 1 / spread(measured[name])
        for _, d in ipairs(at_times(made.t, made[name][1 + j], measured.t)) do J[j][#J[j] + 1] = weight * d end
      end
    end
    return J
  end
  local good, found, rms, deviations, converged = pcall(function()
    best_start()
    -- steps that end with an impact change with parameters by leaps of a step: differences must be wider than that
    return marquardt.fit(x, residuals, { jacobian = jacobian, small = 1e-2, tell = not options.quiet and tell or nil })
  end)
  fs.remove_tree(folder)
  clean()
  clean_slopes()
  if not good then error(found, 0) end
  if unknown then args.fail("%s: %s has no column '%s'", data, loaded.name, unknown) end
  if not found then
    errors.environment("no run could be compared with the data near the first guess; give a better one with --free NAME=GUESS")
  end
  local again = { "carom", "run", operand }
  for i, name in ipairs(free) do
    print(("%-20s %.9g%s"):format(name, found[i], deviations[i] and (" +- %.2g"):format(deviations[i]) or ""))
    table.move({ "--set", ("%s=%.9g"):format(name, found[i]) }, 1, 2, #again + 1, again)
  end
  if not options.quiet then
    print("derivatives: " .. (reason and "by differences, for " .. reason or "of the generated step"))
    print(("residual %.4g of the spread of each column; %s"):format(rms, fs.command(again)))
  end
  if not converged then errors.environment("it did not converge; the values above are the last") end
  return 0
end

return fit
