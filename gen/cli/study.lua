-- carom study: convergence and work-precision of schemes on a model.

local args = require "gen.util.args"
local build = require "gen.cli.build"
local catalogue = require "gen.scheme.catalogue"
local errors = require "gen.cli.errors"
local fs = require "gen.util.fs"
local json = require "gen.util.json"
local model = require "gen.cli.model"
local page = require "gen.study.page"
local paper = require "gen.study.paper"
local plot = require "gen.study.plot"
local study = require "gen.study.study"
local tables = require "gen.study.text"
local text = require "gen.util.text"
local version = require "gen.version"

local command = {
  name = "study",
  usage = "carom study MODEL [--schemes \"S;S;...\"] [--steps H,H,... | --step H --halvings N | --counts N,N,...]"
    .. " [--until T] [--set NAME=VALUE]... [--norm N,N] [--out DIR] [--json] | carom study --paper",
  summary = "measure orders of convergence and work against precision",
  text = [[
Runs MODEL with every scheme and every step, side by side on all processors, and compares with the model's exact
solution; where it has none (or none for these parameters), with a run of the best scheme at hand and much smaller
steps, and says so and how far that can be trusted. Prints a table per scheme: errors of positions q and velocities v
(Euclidean length over the coordinates, at grid points), slopes between neighbours, the fitted slope, the declared
order of the phase that applies (smooth motion, persistent contact or impacts, told by the impulses of the contacts),
evaluations of the model and processor time.

Writes study.csv (one row per run, all norms) and the plots study_q.svg, study_v.svg (errors over the step) and
study_work.svg (errors over evaluations).

Without steps, nine numbers of steps are used, from 1/32 to eight times the model's own, nearly doubling, moved where an
impact of the exact solution would come near a grid point: there v+ and v- differ by the jump, and rounding would decide
which of them is compared. Without an exact solution there are seven, each twice the one before, so that the grid of the
reference holds all others.

A slope is fitted to runs that did not fail, did not lose the solution (error beyond 30 % of its size) and are above
rounding and above what the reference can be trusted to.

Norms: l1, l2, sup over the grid; hausdorff, the distance of the graphs with jumps filled in; dense, the integral of the
error with q linear and v constant in each step. --norm says which are printed; the last two are computed only on
demand.

--paper writes out/paper/index.html: the figures of Schindler and Acary (2013) and of Acary, RR-7151, measured anew.

Exit codes: 0 good (single runs that failed are told in the table); 2 wrong usage or model; 3 no compiler.]],
  options = {
    { "--schemes", value = "S;S;...", text = "schemes, separated by semicolons (default: the model's own and moreau-jean:theta=0.5)" },
    { "--steps", value = "H,H,...", text = "step lengths" },
    { "--step", value = "H", text = "longest step, halved --halvings times" },
    { "--halvings", value = "N", text = "how many times --step is halved (default: 5)" },
    { "--counts", value = "N,N,...", text = "numbers of steps instead of their lengths" },
    { "--tolerances", value = "R,R,...", text = "rtol of schemes with adaptive=on, instead of steps (atol is a thousandth of it)" },
    { "--until", value = "T", text = "end of the runs (default: the model's own)" },
    model.options.set,
    { "--norm", value = "N,N", text = "norms to print: l1, l2, sup, hausdorff, dense (default: l1)" },
    { "--out", short = "-o", value = "DIR", text = "output folder (default: out/MODEL, or out/paper)" },
    { "--paper", text = "reproduce the figures of the papers as one page, out/paper/index.html" },
    { "--json", text = "print one JSON object and nothing else on standard output" },
    { "--quiet", short = "-q", text = "no tables, no progress" },
  },
}

local function split(list, separator)
  local parts = {}
  for part in (list .. separator):gmatch("%s*(.-)%s*" .. separator) do
    if part ~= "" then parts[#parts + 1] = part end
  end
  return parts
end

local function positive(list, what)
  local numbers = {}
  for i, part in ipairs(split(list, ",")) do
    numbers[i] = args.number(part, what)
    if numbers[i] <= 0 then args.fail("%s %s is not positive", what, part) end
  end
  if #numbers == 0 then args.fail("%s needs at least one number", what) end
  return numbers
end

local function whole(x, what)
  local n = math.tointeger(x)
  return n or args.fail("%s %g is not a whole number", what, x)
end

-- steps, or counts, or nil for the default ladder
local function read_steps(options)
  local given = (options.steps and 1 or 0) + (options.step and 1 or 0) + (options.counts and 1 or 0)
  if given > 1 then args.fail("--steps, --step and --counts exclude each other") end
  if options.halvings and not options.step then args.fail("--halvings needs --step H, the longest step") end
  if options.steps then return positive(options.steps, "--steps") end
  if options.counts then
    local counts = positive(options.counts, "--counts")
    for i, N in ipairs(counts) do counts[i] = whole(N, "--counts") end
    table.sort(counts)
    return nil, counts
  end
  if not options.step then return nil end
  local h, n = positive(options.step, "--step")[1], 5
  if options.halvings then n = whole(args.number(options.halvings, "--halvings"), "--halvings") end
  if n < 0 or n > 30 then args.fail("--halvings %d is not from 0 to 30", n) end
  local steps = {}
  for i = 0, n do steps[i + 1] = h / 2 ^ i end
  return steps
end

local function read_norms(options)
  local norms, graphs = {}, false
  for _, name in ipairs(split(options.norm or "l1", ",")) do
    local known = false
    for _, norm in ipairs(study.norms) do known = known or norm == name end
    if not known then
      args.fail("--norm %s is not known%s; write l1, l2, sup, hausdorff or dense", name, text.hint(name, study.norms))
    end
    graphs = graphs or name == "hausdorff" or name == "dense"
    norms[#norms + 1] = name
  end
  if #norms == 0 then args.fail("--norm needs at least one of l1, l2, sup, hausdorff, dense") end
  return norms, graphs
end

-- One line on the terminal that is written again and again; nil when nobody looks at it.
local function progress(options)
  if options.quiet or options.json or fs.run("test -t 2") ~= 0 then return nil, function() end end
  local function show(line) io.stderr:write(("\r%-60s"):format(line)) end
  return show, function() io.stderr:write(("\r%-60s\r"):format("")) end
end

--- What gen/study needs of the command line: the pipeline, the compiler, the comparing program. `operand` is the model.
function command.tools(operand, set)
  local pipeline = model.pipeline()
  local compare, _, clean = build.program("compare", { "compare.c", "measure.c" }, { "include/carom/measure.h" })
  return {
    load = function() return model.load(operand, set) end,
    compile = function(loaded, scheme) return pipeline.compile(loaded, { scheme = scheme }) end,
    executable = build.executable, compare = compare, catalogue = catalogue,
  }, clean
end

local function write_files(out, result, norms, graphs)
  local all = graphs and study.norms or { "l1", "l2", "sup" }
  local function figure(name, title, label, x, work)
    return { name = name, text = plot.loglog { title = ("%s: %s of %s"):format(result.model, title, label), x = x,
      y = tables.title[norms[1]] .. " error of " .. label, series = plot.series(result, label, norms[1], work) } }
  end
  local files = { { name = "study.csv", text = tables.csv(result, all) },
    figure("study_q.svg", "convergence", "q", "step"), figure("study_work.svg", "work and precision", "q", "evaluations", true) }
  if result.columns[2] then files[#files + 1] = figure("study_v.svg", "convergence", "v", "step") end
  local written, why = fs.write_all(out, files)
  if not written then errors.environment("cannot write the results: %s", why) end
  local list = {}
  for i, file in ipairs(files) do list[i] = { file.name:gsub("%..*$", ""), out .. "/" .. file.name } end
  return list
end

local function study_model(options)
  local operand = model.operand(options, "study")
  local steps, counts = read_steps(options)
  local norms, graphs = read_norms(options)
  local until_time = options["until"] and positive(options["until"], "--until")[1]
  local loaded = model.load(operand, options.set)
  local schemes = split(options.schemes or loaded.run.scheme .. ";moreau-jean:theta=0.5", ";")
  if #schemes == 0 then args.fail("--schemes needs at least one scheme (see carom schemes)") end
  for _, scheme in ipairs(schemes) do catalogue.parse(scheme) end
  local tools, clean = command.tools(operand, options.set)
  local over
  tools.tick, over = progress(options)
  local good, result = pcall(study.measure, tools, { schemes = schemes, steps = steps, counts = counts,
    until_time = until_time, graphs = graphs, tolerances = options.tolerances and positive(options.tolerances, "--tolerances") })
  clean()
  over()
  if not good then error(result, 0) end
  local files = write_files(options.out or "out/" .. loaded.name, result, norms, graphs)
  if options.json then
    print(tables.json(result, graphs and study.norms or { "l1", "l2", "sup" }, files))
  elseif not options.quiet then
    io.stdout:write(tables.people(result, norms))
    local names = {}
    for i, file in ipairs(files) do names[i] = file[2] end
    print("\nwritten: " .. table.concat(names, ", "))
  end
  return 0
end

local function study_paper(options)
  if options[1] then args.fail("--paper takes no MODEL; '%s' is too much", options[1]) end
  for _, name in ipairs { "schemes", "steps", "step", "halvings", "counts", "tolerances", "until", "set", "norm" } do
    if options[name] then args.fail("--paper chooses its own models, schemes and steps; leave out --%s", name) end
  end
  local tick, over = progress(options)
  local good, sections = pcall(paper.measure, study.measure, command.tools, catalogue, tick)
  over()
  if not good then error(sections, 0) end
  local out = options.out or "out/paper"
  local files, list = { { name = "index.html", text = page.html(sections, version) } }, {}
  for i, s in ipairs(sections) do
    files[i + 1] = { name = s.section.id .. ".csv", text = tables.csv(s.result, s.section.graphs and study.norms or { "l1", "l2", "sup" }) }
  end
  local written, why = fs.write_all(out, files)
  if not written then errors.environment("cannot write the page: %s", why) end
  for i, file in ipairs(files) do list[i] = { file.name:gsub("%..*$", ""), out .. "/" .. file.name } end
  if options.json then
    print(json.write(json.object { { "status", "ok" }, { "sections", #sections }, { "files", json.object(list) } }))
  elseif not options.quiet then
    print(("%d sections in %s/index.html, their numbers in the csv files beside it"):format(#sections, out))
  end
  return 0
end

function command.run(options)
  if options.paper then return study_paper(options) end
  return study_model(options)
end

return command
