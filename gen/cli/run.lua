-- carom run: generate, compile (or take from the cache), run, tell.

local args = require "gen.util.args"
local build = require "gen.cli.build"
local diagnosis = require "gen.scheme.diagnosis"
local errors = require "gen.cli.errors"
local fs = require "gen.util.fs"
local json = require "gen.util.json"
local large = require "gen.cli.large"
local model = require "gen.cli.model"
local stability = require "gen.scheme.stability"
local view = require "gen.cli.view"

local run = {
  name = "run",
  usage = "carom run MODEL [--scheme S] [--step H] [--until T] [--set NAME=VALUE]... [--assemble] [--out DIR] [--every N] [--json] "
    .. "[--dump-failure FILE] [--ranks N] [-- PETSC_OPTION...]",
  summary = "run a model and write its results",
  text = [[
MODEL is a file or the name of one in models/. The trajectory is written to result.csv in the output folder (columns: t,
the coordinates, NAME.dot, CONTACT.gap, CONTACT.impulse = total impulse since the start, the outputs, CONTACT.friction =
total tangential impulse (in space .friction_1 and .friction_2), CONTACT.status in the last step: 0 open, 1 closed, 2
sticks, 3 slides, CONSTRAINT.force = mean of the last step, contacts.deepest = deepest penetration so far) and the summary
to report.txt. report.html beside them shows it all: open it in a browser (see carom help view). --format npy writes result.npy
instead: a structured array in NumPy's format 1.0 (2.0 where the names take more than 64 KB), a double for each column, so that
numpy.load("result.npy")["t"] is one (with more than some 300 columns it asks for max_header_size=10**7); carom view, plot and
movie read it, too. capture, and impact=split, also write events.csv: which contact closed, opened, stuck or slid (what), when within a
step, the impulses of the event along the normal and across it (friction), the rates of the gap before and after it; --events asks others
for it, of which t is the end of a step. Contacts that are found while running tell none.

The compiled integrator is kept in a cache ($CAROM_CACHE, or carom in $XDG_CACHE_HOME or ~/.cache), so another run with
other parameters or initial values does not compile again; the folder may be deleted at any time. Other values of
constants make another integrator. CC names the C compiler, CAROM_CFLAGS adds to its flags.

Up to four threads (--threads) share the contact problems of piles with more than a thousand contacts; the compiler must know
OpenMP. The bits are those of one thread.

A model with a small mesh runs like any other (--path small); with a larger one it is built with PETSc and runs on
--ranks N processes, which carom starts with mpiexec; what stands after -- goes to PETSc. Both write probes, energies and
contact totals to result.csv, and pictures (--frames) to the folder frames.

Ctrl-C ends a run after the current step; the results up to there are kept, and the state in the file checkpoint of the output
folder: the same command with --resume FILE goes on from there to the same bits and the same result.csv. With --checkpoint FILE
the state is saved now and then, so that a run can be gone on with that was killed (on PETSc always). A saved state belongs to
one model, scheme, form, step and set of parameters, initial values and ranks, and is refused by others.

Exit codes: 0 good; 1 a step failed (the results up to there are kept); 2 wrong usage, model or initial state; 3 no
compiler, or a file that cannot be written; 128 + n when stopped by signal n (130 for Ctrl-C).]],
  options = {
    model.options.scheme,
    model.options.form,
    { "--step", value = "H", text = "step length (default: the model's own)" },
    { "--until", value = "T", text = "end of the run (default: the model's own)" },
    model.options.set,
    model.options.assemble,
    { "--out", short = "-o", value = "DIR", text = "output folder (default: out/MODEL); '-' prints the csv instead" },
    { "--format", value = "csv|npy", text = "npy: result.npy instead, an array of NumPy with names, for large results; quicker, exact" },
    { "--events", text = "write events.csv: which contact did what, when, how hard (without being asked where schemes know the time)" },
    { "--every", value = "N", text = "write every N-th step only; the first and the last are always written" },
    { "--no-report", text = "do not write report.html" },
    { "--watch", text = "run again whenever the model file changes; a report that is open shows the new run" },
    { "--json", text = "print one JSON object and nothing else on standard output" },
    { "--quiet", short = "-q", text = "no summary, no progress" },
    { "--dump-failure", value = "FILE", text = "when a step does not solve its contact problem, write that for carom solve" },
    { "--progress", text = "show progress even when standard error is not a terminal" },
    { "--checkpoint", value = "FILE", text = "save the state now and then, on Ctrl-C, at the end (on PETSc always, to the output folder)" },
    { "--checkpoint-minutes", value = "K", text = "how often (default: 10)" },
    { "--threads", value = "N", text = "piles: share the work among N threads; the same bits (default: 1)" },
    { "--resume", value = "FILE", text = "go on from a saved state, to the same bits; repeat the other options" },
  },
}
table.move(large.options, 1, #large.options, #run.options + 1, run.options)

local ROWS = 1e8 -- of a result; more are not written without being asked for
local MOST = 1e15 -- steps, as the driver counts them

-- Step and end must come from the options or from the model; they are checked before anything is compiled.
local function check_times(options, loaded, path)
  local defaults = loaded.run or {}
  if options.step then
    if args.number(options.step, "--step") <= 0 then args.fail("--step %s is not positive", options.step) end
  elseif not defaults.step and path ~= "petsc" then
    args.fail("%s does not say its step; write --step H (or step in its m:run)", loaded.name)
  end
  if options["until"] then
    local last = args.number(options["until"], "--until")
    if path == "petsc" and last < 0 then args.fail("--until %s lies before the start, t = 0", options["until"]) end
  elseif not defaults.until_time then
    args.fail("%s does not say how long to run; write --until T (or until_time in its m:run)", loaded.name)
  end
  local step, until_time = tonumber(options.step) or defaults.step, tonumber(options["until"]) or defaults.until_time
  local rows = step and until_time and until_time / step or 0
  if rows > MOST then args.fail("%.3g steps take longer than anybody lives; write a longer --step, or an earlier --until", rows) end
  if rows > ROWS and not options.every then
    args.fail("%.3g steps would make a result of as many rows; write --every %d (or --every 1 if all are wanted), or a longer --step",
      rows, math.ceil(rows / 1e5))
  end
  local minutes = options.checkpoint_minutes
  if minutes and args.number(minutes, "--checkpoint-minutes") <= 0 then args.fail("--checkpoint-minutes %s is not positive", minutes) end
  if options.every then
    local n = args.number(options.every, "--every")
    if n < 1 or n > MOST or n ~= math.floor(n) then
      args.fail("--every %s is not a whole number from 1 to %.0e", options.every, MOST)
    end
  end
end

-- How many threads share the work; nil: it is not shared.
local function threads_of(options, loaded)
  if not options.threads then return nil end
  local n = args.number(options.threads, "--threads")
  if n < 1 or n > 1024 or n ~= math.floor(n) then args.fail("--threads %s is not a whole number from 1 to 1024", options.threads) end
  if not loaded.among then args.fail("--threads is for piles (contacts_among); %s has none", loaded.name) end
  return n > 1 and ("%d"):format(n) or nil
end

-- A step beyond the limit of stability gives numbers that mean nothing, and often no error.
local function question_step(options, unit, loaded, assignments)
  local given = {}
  local step, until_time = tonumber(options.step), tonumber(options["until"]) or loaded.run and loaded.run.until_time
  if step and until_time and step > until_time and until_time > 0 and not options.quiet then
    io.stderr:write(("carom: warning: --step %g is longer than the run, which is one step of %g\n"):format(step, until_time))
  end
  for _, assignment in ipairs(assignments) do given[assignment.name] = assignment.value end
  local warning = stability.warning(unit, tonumber(options.step) or loaded.run and loaded.run.step, given)
  for _, text in ipairs { unit.warning or false, warning or false } do
    if text and not options.quiet then io.stderr:write("carom: warning: ", text, "\n") end
  end
end

-- Are events written? Where a scheme knows their time, always.
local function told(options, spec) return options.events or spec.family == "capture" or spec.impact == "split" end

-- The file of the rows; other: that of the other format.
local function result_of(options, out, other)
  return out .. ((options.format == "npy") ~= (other or false) and "/result.npy" or "/result.csv")
end

-- defaults: the step and the end of the model, where the program is not to take its own
local function driver_words(executable, options, spec, defaults, assignments, out, pile, meshed)
  local words = { executable, "--with-parent" }
  local function add(...) table.move({ ... }, 1, select("#", ...), #words + 1, words) end
  local step, until_time = options.step, options["until"]
  if step or defaults then add("--step", step or ("%.17g"):format(defaults.step)) end
  if until_time or defaults then add("--until", until_time or ("%.17g"):format(defaults.until_time)) end
  for _, assignment in ipairs(assignments) do add("--set", assignment.name .. "=" .. assignment.text) end
  if out == "-" then
    add("--result", "-")
  else
    add("--result", result_of(options, out), "--report", out .. "/report.txt")
    if told(options, spec) then add("--events", out .. "/events.csv") end
    if pile then add("--bodies", out .. "/bodies.csv") end
    if not options.no_report then
      if pile then add("--motion-frames", ("%d"):format(view.frames(#pile.shapes))) end
      if pile or meshed then add("--motion", out .. "/motion.bin") end
    end
  end
  if options.every then add("--every", options.every) end
  for _, key in ipairs { "dump_failure", "checkpoint", "checkpoint_minutes", "resume" } do
    if options[key] then add("--" .. key:gsub("_", "-"), options[key]) end
  end
  if options.quiet then add("--quiet") end
  if options.progress then add("--progress") end
  return words
end

-- Difference to the model's known solution at the end of the run, as a text; nil when there is nothing to compare.
-- The solution knows the parameters of the run but belongs to the model's own initial state.
local function exact_error(loaded, assignments, record)
  local parameters, known_names = {}, {}
  for _, parameter in ipairs(loaded.parameters) do
    parameters[parameter.name], known_names[parameter.name] = parameter.value, true
  end
  for _, assignment in ipairs(assignments) do
    if not known_names[assignment.name] then return nil end
    parameters[assignment.name] = assignment.value
  end
  local good, known = pcall(loaded.exact, record.t, parameters)
  if not good or type(known) ~= "table" then return nil end
  local parts = {}
  local function compare(name, value)
    local expected = known[name]
    if type(expected) == "number" and type(value) == "number" then
      parts[#parts + 1] = ("%s %.3e"):format(name, value - expected)
    end
  end
  for _, coordinate in ipairs(loaded.coordinates) do compare(coordinate.name, record.q[coordinate.name]) end
  for _, coordinate in ipairs(loaded.coordinates) do compare(coordinate.name .. ".dot", record.v[coordinate.name]) end
  if #parts == 0 then return nil end
  return "  error against the exact solution: " .. table.concat(parts, ", ", 1, math.min(#parts, 12))
end

local function tell_exact(options, loaded, assignments, record_text, out)
  local record = json.read(record_text)
  if not record or record.status ~= "ok" then return end
  local line = exact_error(loaded, assignments, record)
  if not line then return end
  if not options.quiet then (out == "-" and io.stderr or io.stdout):write(line, "\n") end
  if out ~= "-" then
    local report = fs.read(out .. "/report.txt")
    if report then fs.write(out .. "/report.txt", report .. line .. "\n") end
  end
end

-- What can be found out about a step that failed goes below the driver's own words, or into its object.
local function tell_diagnosis(options, unit, ordinary, assignments, record, out)
  local said, given = json.read(record), {}
  for _, assignment in ipairs(assignments) do given[assignment.name] = assignment.value end
  local list = said and diagnosis.sentences(unit, said, tonumber(options.step) or ordinary.run and ordinary.run.step, given) or {}
  if #list == 0 then return record end
  if options.json then
    local field = json.write(list):gsub("%s+$", "")
    return (record:gsub("}%s*$", function() return ',"diagnosis":' .. field .. "}\n" end))
  end
  for _, sentence in ipairs(list) do io.stderr:write("carom: ", sentence, "\n") end
  local report = out ~= "-" and fs.read(out .. "/report.txt")
  if report then fs.write(out .. "/report.txt", report .. "  " .. table.concat(list, "\n  ") .. "\n") end
  return record
end

-- Initial values that do not fit are moved, here where values of --set can make them so; gives the report of what was done.
local function assemble(loaded, assignments, options)
  local report = loaded.assembled
  if assignments[1] then
    local given = {}
    for _, assignment in ipairs(assignments) do given[assignment.name] = assignment.value end
    local asked = options.assemble or loaded.run and loaded.run.assemble
    local good, moved, now = pcall(model.pipeline().assembled, loaded, given, asked)
    if not good and asked then error(moved, 0) end -- else the program itself refuses, in the words of its status
    report = good and (now or report) or nil
    for _, x in ipairs(good and moved or {}) do
      assignments[#assignments + 1] = { name = x.name, value = x.value, text = ("%.17g"):format(x.value) }
    end
  end
  if report and not options.quiet then
    io.stderr:write(report.asked and "carom: " or "carom: warning: ", report.text, "\n")
  end
  return report
end

-- The driver tells people itself; its JSON object comes back through a file, which is also what --json prints.
-- tail: words that must stand last; threads: that share the work.
local function execute(words, options, tail, threads)
  local made, record = pcall(os.tmpname)
  if not made then errors.environment("cannot make a temporary file: %s", record) end
  local own = options.json and { "--json" } or { "--record", record }
  table.move(own, 1, #own, #words + 1, words)
  table.move(tail, 1, #tail, #words + 1, words)
  local shared = threads and ("export OMP_NUM_THREADS=%s OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}; "):format(threads) or ""
  local command = shared .. "exec " .. fs.command(words) .. (options.json and " >" .. fs.quote(record) or "")
  io.stdout:flush()
  local code = fs.run(command)
  local text = fs.read(record) or ""
  os.remove(record)
  if text == "" and (code == 141 or code == 130 or code == 143) then
    return code, text -- SIGPIPE: whoever reads the csv has seen enough; Ctrl-C or a kill before the first step
  elseif text == "" and code ~= 0 then
    if code == 126 or code == 127 then
      errors.environment("%s cannot be executed; set CAROM_CACHE to a folder where programs may run", words[1])
    end
    errors.environment("the integrator ended with code %d without a word", code)
  elseif not text:find("^{.*}\n$") then -- whatever its exit code: nobody knows what was computed
    errors.environment("the integrator ended with code %d but did not say how the run went", code)
  end
  return code, text
end

-- The page beside the results, for every run that has some.
local function write_report(options, loaded, ordinary, unit, assignments, record, out, operand)
  local said = json.read(record) or {}
  local given = {}
  for _, a in ipairs(args.assignments(options.set)) do given[a.name] = a.value end
  local words = { "carom", table.unpack(arg) }
  local made = view.write({ model = loaded, operand = operand, result = result_of(options, out),
    scheme = unit.spec and unit.spec.canonical or unit.scheme,
    step = ("%.10g"):format(tonumber(options.step) or said.step or ordinary.run and ordinary.run.step or 0 / 0),
    ["until"] = ("%.10g"):format(said.t or 0 / 0), set = assignments, constants = view.constants(loaded, given),
    command = fs.command(words), status = said.status or "stopped", summary = fs.read(out .. "/report.txt") or "", source = loaded.file,
    eq = unit.eq, order = unit.plan and unit.plan.order, watched = os.getenv "CAROM_WATCHED" }, out, options.quiet)
  if made and not options.quiet and not options.json then print("  to look at: " .. out .. "/report.html") end
end

-- True when the folder was not there before.
local function make_folder(out)
  if out == "-" or fs.is_dir(out) then return false end
  local made, why = fs.mkdir(out)
  if not made then errors.environment("cannot make the output folder: %s", why) end
  return true
end

-- takes what stands after `--` and behind MODEL out of the operands
local function petsc_words(options)
  if not options.before then return {} end
  local words = table.move(options, math.max(options.before, 1) + 1, #options, 1, {})
  for i = #options, math.max(options.before, 1) + 1, -1 do options[i] = nil end
  return words
end

-- The texts of the files a model is made of; a model that cannot be read is its own file alone.
local function texts(operand, set)
  local good, loaded = pcall(model.load, operand, set)
  local files = good and loaded.files or { operand }
  local list = {}
  for i, file in ipairs(files) do list[i] = fs.read(file) or "" end
  return table.concat(list, "\0"), files
end

-- Runs the same command again, without --watch, whenever one of these files changes; until Ctrl-C.
local function watch(options)
  local operand = model.operand(options, "run")
  if operand == "-" then args.fail("--watch needs a model file, not standard input") end
  local words = { "env", "CAROM_WATCHED=1", fs.root .. "/carom" }
  for _, word in ipairs(arg) do if word ~= "--watch" then words[#words + 1] = word end end
  while true do
    local code = fs.run(fs.command(words))
    if code >= 128 then return code end
    local before, files = texts(operand, options.set)
    if not options.quiet then
      io.stderr:write(("carom: waiting for a change of %s (Ctrl-C ends)\n"):format(table.concat(files, ", ")))
    end
    repeat
      local _, how, signal = os.execute "sleep 0.4"
      if how == "signal" or signal ~= 0 then return 130 end
      local now = {}
      for i, file in ipairs(files) do now[i] = fs.read(file) or "" end
    until table.concat(now, "\0") ~= before
  end
end

function run.run(options)
  if options.watch then return watch(options) end
  local words = petsc_words(options)
  local operand = model.operand(options, "run")
  if options.json and options.out == "-" then
    args.fail("--json and --out - both want standard output; give --out a folder")
  end
  if not ({ csv = true, npy = true })[options.format or "csv"] then args.fail("--format %s: write csv or npy", options.format) end
  if options.format == "npy" and options.out == "-" then args.fail("--out - prints csv; give --out a folder, or leave --format out") end
  local loaded, assignments = model.load(operand, options.set, options.assemble)
  local assembled = assemble(loaded, assignments, options)
  if #(loaded.meshes or {}) > 0 and not options.quiet then
    for _, w in ipairs(loaded.warnings or {}) do io.stderr:write("carom: warning: ", w, "\n") end
  end
  local asked = large.asked(options, loaded, words)
  local pipeline, settings = model.pipeline(), { scheme = options.scheme, form = options.form }
  local unit, path, why
  if large.is(loaded) then
    unit, path, why = large.unit(pipeline, loaded, asked, settings, options)
    if why and not options.quiet then io.stderr:write("carom: this mesh is small but runs on PETSc: ", why, "\n") end
  else
    unit = pipeline.compile(loaded, settings)
  end
  local ordinary = unit.model or loaded -- a mesh on the small path has become an ordinary model, with a step from its cells
  check_times(options, ordinary, path)
  question_step(options, unit, ordinary, assignments)

  local out, spec = options.out or "out/" .. loaded.name, path ~= "petsc" and unit.spec or {}
  local threads = threads_of(options, loaded)
  local executable, _, clean = (path == "petsc" and large or build).executable(unit, nil, threads and "threads")
  local made_folder = make_folder(out)
  local command = driver_words(executable, options, spec, path ~= "petsc" and ordinary.run, assignments, out, loaded.among,
    large.is(loaded))
  if large.is(loaded) then
    local pictures = large.pictures(options, loaded.run, out)
    table.move(pictures, 1, #pictures, #command + 1, command)
  end
  if path == "petsc" then
    command = large.command(command, options, out)
  elseif out ~= "-" then
    table.move({ "--stopped", out .. "/checkpoint" }, 1, 2, #command + 1, command)
  end
  if words[1] then table.insert(words, 1, "--") end
  local good, code, record = pcall(execute, command, options, words, threads)
  clean()
  if made_folder and (not good or code == 2) then os.remove(out) end -- an empty one, since nothing was run
  if not good then error(code, 0) end
  if code == 1 and path ~= "petsc" then record = tell_diagnosis(options, unit, ordinary, assignments, record, out) end
  if options.json then
    if assembled then
      local field = json.write(json.object { { "position", assembled.position }, { "velocity", assembled.velocity } })
      record = record:gsub("}%s*$", function() return ',"assembled":' .. field:gsub("%s+$", "") .. "}\n" end)
    end
    io.stdout:write(record)
  elseif loaded.exact then
    tell_exact(options, loaded, assignments, record, out)
  end
  if out ~= "-" and code ~= 2 and fs.exists(result_of(options, out)) then
    os.remove(result_of(options, out, true)) -- of an earlier run
    if not told(options, spec) then os.remove(out .. "/events.csv") end
    if not options.no_report then write_report(options, loaded, ordinary, unit, assignments, record, out, operand) end
  end
  return code
end

return run
