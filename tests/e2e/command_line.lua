-- The command line on the real generator: what it prints, what it writes, how it ends. (tests/lua/test_cli.lua tests the
-- words themselves with a stand-in for the generator.)
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"
local json = require "gen.util.json"
local lang = require "gen.lang.core.load"

local cache = S.place "cache"
local interpreter = arg[-1] or "lua5.4"

-- a compiler that notes every real call
local log = S.folder .. "/compiled"
local compiler = S.folder .. "/cc"
assert(fs.write(compiler, ("#!/bin/sh\n[ \"$1\" = --version ] || echo \"$*\" >> %s\nexec gcc \"$@\"\n"):format(log)))
S.command("chmod +x " .. compiler)

local function compilations()
  return select(2, (fs.read(log) or ""):gsub("\n", ""))
end

local function command(words, variables)
  return ("CC=%s CAROM_CACHE=%s %s %s gen/cli/main.lua %s"):format(compiler, cache, variables or "", interpreter, words)
end

-- standard output, standard error, exit code
local function carom(words, variables)
  local err = S.folder .. "/stderr"
  local out, code = fs.capture(command(words, variables) .. " 2>" .. err .. " </dev/null")
  return out, fs.read(err), code
end

local outs = 0
-- a run into a folder of its own; returns the JSON object, the folder, exit code and the text
local function run(words, variables)
  outs = outs + 1
  local dir = ("%s/out%d"):format(S.folder, outs)
  local out, err, code = carom(("run %s --json --out %s"):format(words, dir), variables)
  return json.read(out), dir, code, out, err
end

local function keys(text) -- of the outermost object, in order
  local list, depth = {}, 0
  local position = 1
  while position <= #text do
    local c = text:sub(position, position)
    if c == '"' then
      local from = position
      repeat position = text:find('["\\]', position + 1); local escape = text:sub(position, position) == "\\"
        if escape then position = position + 1 end
      until not escape
      if depth == 1 and text:sub(position + 1, position + 1) == ":" then list[#list + 1] = text:sub(from + 1, position - 1) end
    elseif c == "{" or c == "[" then depth = depth + 1
    elseif c == "}" or c == "]" then depth = depth - 1
    end
    position = position + 1
  end
  return table.concat(list, " ")
end

T.test("run --json: one line, exact keys in order, numbers that read back", function()
  local r, dir, code, text, err = run "forced_pendulum --scheme D-:M=3,quadrature=lobatto --step 0.1 --until 2"
  T.eq(code, 0)
  T.eq(err, "")
  T.eq(select(2, text:gsub("\n", "")), 1)
  T.eq(keys(text), "model scheme status t steps q v impulse outputs counts cpu_seconds wall_seconds step unknowns ranks files")
  T.eq(keys(text:match('"counts":(%b{})')), "evaluations contact_solves events")
  T.eq(r.model, "forced_pendulum")
  T.eq(r.scheme, "D-:M=3,quadrature=lobatto")
  T.eq(r.status, "ok")
  T.eq(r.steps, 20)
  T.near(r.t, 2, 1e-12)
  T.near(r.q.q, -8.267831518213e-01, 1e-10)
  T.near(r.v.q, 9.651600559494e-02, 1e-10)
  T.eq(r.files.result, dir .. "/result.csv")
  local _, _, _, slider = run "slider_crank --until 0.001"
  T.eq(keys(slider:match('"q":(%b{})')), "theta1 theta2 theta3")
  T.eq(keys(slider:match('"v":(%b{})')), "theta1 theta2 theta3")
  T.eq(keys(slider:match('"impulse":(%b{})')), "corner1 corner2 corner3 corner4")
  T.eq(keys(slider:match('"outputs":(%b{})')), "slider_x slider_y")
end)

T.test("result.csv: header, all rows; --every keeps the first and the last", function()
  local _, dir = run "bouncing_ball --step 0.01 --until 1"
  local text = fs.read(dir .. "/result.csv")
  T.eq(text:match("[^\n]*"), "t,q,q.dot,ground.gap,ground.impulse,height,energy,ground.status,contacts.deepest")
  local rows = S.csv(text)
  T.eq(#rows, 101)
  for _, row in ipairs(rows) do -- columns belong to one and the same moment
    T.eq(row["ground.gap"], row.q)
    T.eq(row.height, row.q)
    T.near(row.energy, row["q.dot"] ^ 2 / 2 + 9.81 * row.q, 1e-12)
  end
  T.ok(fs.read(dir .. "/report.txt"):find("bouncing_ball with D-:M=1: t = 1 after 100 steps of 0.01", 1, true))
  local _, thin = run "bouncing_ball --step 0.01 --until 1 --every 30"
  local some = S.csv(fs.read(thin .. "/result.csv"))
  T.eq(#some, 5)
  for i, index in ipairs { 1, 31, 61, 91, 101 } do
    T.eq(some[i].t, rows[index].t)
    T.eq(some[i].q, rows[index].q)
    T.eq(some[i]["ground.gap"], rows[index]["ground.gap"])
  end
  T.eq(table.concat(fs.list(thin), " "), "report.html report.txt result.csv run.json")
end)

T.test("for people: a summary with the error against the exact solution; --quiet prints nothing; --out - prints the csv", function()
  local out, err, code = carom(("run zeno_ball --out %s/people"):format(S.folder))
  T.eq(code, 0)
  T.eq(err, "")
  T.ok(out:find("zeno_ball with D-:M=1: t = 4 after 407 steps", 1, true), out)
  T.ok(out:find("error against the exact solution: q %-9%.055e%-05, q%.dot 0%.000e%+00"), out)
  out, err, code = carom(("run zeno_ball --quiet --out %s/people"):format(S.folder))
  T.eq(out .. err, "")
  T.eq(code, 0)
  out, err, code = carom "run zeno_ball --quiet --out -"
  T.eq(err, "")
  T.eq(code, 0)
  T.eq(#(S.csv(out)), 408)
end)

T.test("--set: parameters, initial values, constants; a second run does not compile", function()
  local a = run "slider_crank --until 0.002"
  local before = compilations()
  local b = run "slider_crank --until 0.002 --set theta3.dot=-0.01 --set gravity=0"
  T.eq(compilations(), before, "compilations")
  T.eq(b.status, "ok")
  T.near(b.q.theta3, -0.01 * 0.002, 1e-12)
  T.ok(a.q.theta3 == 0 and math.abs(a.q.theta1 - b.q.theta1) > 1e-7, "gravity has no effect")
  local three = run "cradle --set N=3 --set restitution=0.5 --until 0.5"
  T.near(three.v.q1, 0.203125, 1e-9)
  T.near(three.v.q2, 0.234375, 1e-9)
  T.near(three.v.q3, 0.5625, 1e-9)
  before = compilations()
  local four = run "cradle --set N=4 --set restitution=0.5 --until 2"
  T.ok(compilations() > before, "other constants make another integrator")
  T.near(four.v.q4, 0.421875, 1e-9)
  T.near(four.v.q1 + four.v.q2 + four.v.q3 + four.v.q4, 1, 1e-12)
  local ball = run "bouncing_ball --step 0.001 --until 0.5 --set q=2 --set gravity=2"
  T.near(ball.q.q, 2 - 0.25, 1e-9)
  before = compilations()
  T.near(run("bouncing_ball --step 0.001 --until 0.5 --set q=3 --set q.dot=1 --set gravity=2").q.q, 3 + 0.5 - 0.25, 1e-9)
  T.eq(compilations(), before, "compilations")
end)

T.test("exit code 2, one message, nothing written: wrong names, schemes, values", function()
  for _, case in ipairs {
    { "run slider_crank --set gravty=1", "gravity" }, { "run slider_crank --set theta4.dot=1", "no such name" },
    { "run slider_crank --set gravity=much", "not a" }, { "run zeno_bal", "zeno_ball" },
    { "run zeno_ball --scheme D-:M=9", "whole number from 0 to 8" }, { "run zeno_ball --scheme D-:N=1", "no key 'N'" },
    { "run zeno_ball --scheme E-", "unknown family" }, { "run zeno_ball --step 0", "not positive" },
    { "run zeno_ball --every 0", "whole number" }, { "run zeno_ball --set q=-1", "penetrates" },
    { "run constrained_pendulum --set x=0.9", "constraint is violated" }, { "gen zeno_ball --set q=3", "at run time" },
    { "run zeno_ball --step 1e-9", "--every 40000 (or --every 1" },
    { "gen zeno_ball --prefix 9x", "identifier" }, { "run zeno_ball --until -1", "before the start" },
  } do
    local dir = S.folder .. "/nothing"
    local out, err, code = carom(case[1] .. " --out " .. dir)
    T.eq(code, 2, case[1])
    T.eq(out, "", case[1])
    T.ok(err:find("error:", 1, true) and err:find(case[2], 1, true), case[1] .. ": " .. err)
    T.ok(not fs.exists(dir), case[1] .. " left " .. dir)
    if case[1]:find("^run") then
      out, err, code = carom(case[1] .. " --json --out " .. dir)
      T.eq(code, 2, case[1])
      T.eq(err, "", case[1])
      T.eq(json.read(out).status, "error", out)
      T.ok(not fs.exists(dir), case[1] .. " left " .. dir)
    end
  end
end)

T.test("a scheme of m:run that is wrong is told with its line", function()
  local file = S.folder .. "/scheme.lua"
  assert(fs.write(file, 'local carom = require "carom"\nlocal m = carom.model "wrong"\nlocal q = m:coordinate("q", { initial = 1 })\n'
    .. 'm:kinetic_energy(q.dot^2 / 2)\nm:run { scheme = "D-:N=1" }\nreturn m\n'))
  local _, err, code = carom("check " .. file)
  T.eq(code, 2)
  T.ok(err:find(file .. ":5: error: ", 1, true) and err:find("no key 'N'", 1, true), err)
  _, err = carom("check " .. file .. " --scheme D-:N=2")
  T.ok(not err:find(":5:", 1, true), err)
end)

T.test("initial values that do not fit are projected: a little with a warning, more with --assemble", function()
  local printed, _, code, _, err = run "constrained_pendulum --set x=0.841471 --until 0.1 --step 1e-3"
  T.eq(code, 0)
  T.ok(err:find("warning: the initial values were projected", 1, true), err)
  T.ok(printed.assembled.position > 0 and printed.assembled.position < 1e-6)
  printed, _, code, _, err = run "constrained_pendulum --set x=0.9 --until 0.1 --step 1e-3 --assemble"
  T.eq(code, 0)
  T.ok(not err:find("warning", 1, true) and err:find("projected", 1, true), err)
  T.ok(printed.assembled.position > 0.01)
end)

T.test("exit code 2 for a mistake in a model: file, line, what is wrong, what to write", function()
  local file = S.folder .. "/wrong.lua"
  assert(fs.write(file, 'local carom = require "carom"\nlocal m = carom.model "wrong"\nlocal q = m:coordinate("q", { initial = 1 })\n'
    .. 'm:kinetic_energy(q.dot^2 / 2)\nm:contact("floor", { restitution = 0.5 })\nreturn m\n'))
  local dir = S.folder .. "/nothing"
  for _, words in ipairs { "run", "gen" } do
    local out, err, code = carom(("%s %s -o %s"):format(words, file, dir))
    T.eq(code, 2)
    T.eq(out, "")
    T.ok(err:find("wrong.lua:5: error: ", 1, true) and err:find("gap", 1, true), err)
    T.ok(not fs.exists(dir), "something was written")
  end
end)

T.test("exit code 1 when a step fails: the results up to there are kept", function()
  local good, _, good_code = run "impacting_oscillator --scheme D-:M=2,iterations=3 --step 0.01 --until 2"
  T.eq(good_code, 0, good.message)
  local r, dir, code = run "impacting_oscillator --scheme D-:M=2,stages=fixed-point,iterations=3,tol=1e-15 --step 0.2 --until 2 --set q=0.3"
  T.eq(code, 1)
  T.eq(r.status, "error")
  T.ok(r.message:find("did not converge", 1, true), r.message)
  T.eq(S.csv(fs.read(dir .. "/result.csv"))[1].q, 0.3)
end)

T.test("exit code 3: no compiler, an output that cannot be", function()
  local _, err, code = carom("run zeno_ball --out " .. S.folder .. "/x", "CC=" .. S.folder .. "/absent")
  T.eq(code, 3)
  T.ok(err:find("does not answer", 1, true), err)
  assert(fs.write(S.folder .. "/file", "in the way"))
  _, err, code = carom("run zeno_ball --out " .. S.folder .. "/file/out")
  T.eq(code, 3)
  T.ok(err:find("cannot make the output folder", 1, true), err)
  _, err, code = carom("gen zeno_ball --out " .. S.folder .. "/file/out")
  T.eq(code, 3)
  T.ok(err:find("nothing written", 1, true), err)
  T.eq(fs.read(S.folder .. "/file"), "in the way")
end)

T.test("gen: --dump of each stage prints it and writes nothing", function()
  local dir = S.folder .. "/nothing"
  for stage, pattern in pairs { model = "theta1", equations = "G%[theta1%]", plan = "kinematics", c = "slider_crank_step" } do
    local out, err, code = carom(("gen slider_crank --dump %s --out %s"):format(stage, dir))
    T.eq(code, 0, stage)
    T.eq(err, "")
    T.ok(out:find(pattern), stage .. ":\n" .. out:sub(1, 300))
  end
  local _, err, code = carom "gen slider_crank --dump everything"
  T.eq(code, 2)
  T.ok(err:find("model, system, equations, plan, steps, c", 1, true), err)
  T.ok(not fs.exists(dir))
end)

T.test("gen: a folder, unchanged when made again, listed by --list-outputs", function()
  local dir = S.folder .. "/gen"
  local out, _, code = carom("gen bowl --scheme D+:M=2 -o " .. dir)
  T.eq(code, 0)
  T.ok(out:find("bowl with D%+:M=2: %d+ files in"), out)
  T.ok((carom("gen bowl --scheme D+:M=2 -o " .. dir)):find("(0 changed)", 1, true))
  for file in (carom("gen bowl --scheme D+:M=2 --list-outputs -o " .. dir)):gmatch("[^\n]+") do
    T.ok(fs.exists(file), file)
  end
end)

T.test("check, schemes and models say what is there", function()
  local out, _, code = carom "check slider_crank"
  T.eq(code, 0)
  T.ok(out:find("3 coordinates, 4 contacts, 0 constraints", 1, true), out)
  out = carom "models"
  for _, name in ipairs(lang.known(".")) do T.ok(out:find(name, 1, true), name) end
  out = carom "schemes"
  for _, name in ipairs { "moreau-jean", "schatzman-paoli", "D-", "D+" } do T.ok(out:find(name, 1, true), name) end
end)

-- Ctrl-C reaches the whole process group; a group of its own keeps the test program out of it.
if S.has "setsid" then
  T.test("Ctrl-C ends the run after its step and keeps the results", function()
    local dir = S.folder .. "/interrupted"
    carom("run zeno_ball --quiet --out " .. S.folder .. "/warm") -- so that only the run itself is interrupted
    local words = command("run zeno_ball --step 1e-9 --every 1000000 --json --out " .. dir)
    local pipe = assert(io.popen(("setsid sh -c 'echo $$; exec env %s'"):format(words)))
    local group = assert(math.tointeger(pipe:read("n")))
    for _ = 1, 1200 do -- until the run has begun: its unfinished file is there
      if #fs.list(dir) > 0 then break end
      fs.run "sleep 0.05"
    end
    S.command("kill -s INT -- -" .. group)
    local text = pipe:read("a")
    local _, _, code = pipe:close()
    T.eq(code, 130)
    local r = json.read(text:match("{.*"))
    T.eq(r.status, "interrupted")
    T.ok(r.t > 0 and r.t < 4 and r.steps > 0, text)
    local rows = S.csv(fs.read(dir .. "/result.csv"))
    T.ok(#rows >= 1 and rows[1].t == 0, "the results are kept")
    T.eq(table.concat(fs.list(dir), " "):gsub("report.txt ", ""), "checkpoint report.html result.csv run.json", "nothing is left over")
    T.ok(r.message:find("go on with --resume " .. dir .. "/checkpoint", 1, true), r.message)
  end)
else
  T.skip("Ctrl-C ends the run after its step and keeps the results", "no setsid")
end

S.finish()
