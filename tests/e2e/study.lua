-- carom study as people use it: tables, files, references, mistakes.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local fs = require "gen.util.fs"
local json = require "gen.util.json"

local folder = assert(fs.temporary_dir())
local here = (fs.capture("pwd -P"):gsub("\n$", ""))

-- What `carom WORDS` says on both channels, and its exit code; run in the temporary folder.
local function carom(words)
  return fs.capture(("cd %s && CAROM_NO_INSTALL=1 %s %s 2>&1 </dev/null"):format(fs.quote(folder), fs.quote(here .. "/carom"), words))
end

local function study(words)
  local said, code = carom("study " .. words .. " --json")
  local record = json.read(said)
  T.ok(code == 0 and record, said)
  return record
end

T.test("a table against the exact solution, its csv and its plots", function()
  local said, code = carom "study zeno_ball --schemes 'moreau-jean:theta=0.5;D-:M=1' --counts 101,203,407,811 --norm l1,sup"
  T.eq(code, 0, said)
  T.ok(said:find("compared with the exact solution", 1, true), said)
  T.ok(said:find("N = 101, 203, 407, 811; events are at least", 1, true), said)
  T.ok(said:find("D-:M=1: declared order 1 through impacts (2 in smooth motion, 2 in persistent contact)", 1, true), said)
  local csv = assert(fs.read(folder .. "/out/zeno_ball/study.csv"))
  T.eq(select(2, csv:gsub("\n", "")), 9)
  T.ok(csv:find("^scheme,order,N,h,tolerance,q_l1,q_l2,q_sup,v_l1,v_l2,v_sup,evaluations,events,cpu_seconds,failed\n"), csv)
  for _, name in ipairs { "study_q", "study_v", "study_work" } do
    local svg = assert(fs.read(("%s/out/zeno_ball/%s.svg"):format(folder, name)))
    T.ok(svg:find("^<svg ") and svg:find("</svg>\n$") and svg:find("D%-:M=1"), name)
  end
end)

T.test("the declared order is that of the phase that applies, whichever scheme tells it", function()
  local heavy = folder .. "/heavy_and_light.lua" -- the force of one contact is far above the impacts of the other
  assert(fs.write(heavy, [[
local carom = require "carom"
local m = carom.model "heavy_and_light"
local x, y = m:coordinate("x", { initial = 0 }), m:coordinate("y", { initial = 1 })
m:kinetic_energy(x.dot^2 / 2 + y.dot^2 / 2)
m:potential_energy(1e4 * x + 2 * y)
m:contact("press", { gap = x })
m:contact("bounce", { gap = y, restitution = 0.5 })
m:run { until_time = 2.1, step = 0.01 }
return m
]]))
  for _, case in ipairs { { "bowl --counts 50,100,200", "contact" }, { "rest --counts 50,100,200", "contact" },
    { "impacting_oscillator --counts 101,203,407", "impacts" }, { "bowl --until 0.1 --counts 5,10", "contact" },
    { "double_pendulum --until 0.05 --counts 10,20,40", "smooth" }, { fs.quote(heavy) .. " --counts 101,203,407", "impacts" } } do
    for _, scheme in ipairs { "moreau-jean", "D-:M=1", "schatzman-paoli:theta=0", "capture" } do
      T.eq(study(("%s --schemes '%s'"):format(case[1], scheme)).phase, case[2], case[1] .. " " .. scheme)
    end
  end
  local said = carom "study bowl --schemes 'moreau-jean;D-:M=2' --counts 50,100,200"
  T.ok(said:find("moreau-jean: declared order 1 in persistent contact (2 in smooth motion, 1 through impacts)", 1, true), said)
  T.ok(said:find("D-:M=2 +4 in persistent contact"), said)
end)

T.test("grid norms are those of the results", function()
  local r = study "zeno_ball --schemes D-:M=1 --counts 407"
  local run = r.schemes[1].runs[1]
  local said = json.read((carom "run zeno_ball --step 0.009828009828009828 --out ball --json"))
  local sum, sup, n = 0, 0, 0
  local exact = require("gen.lang.core.load").load("zeno_ball", { root = "." }).exact
  for t, q in assert(fs.read(folder .. "/ball/result.csv")):gmatch("\n([%d.e+-]+),([%d.e+-]+),") do
    local e = math.abs(tonumber(q) - exact(tonumber(t)).q)
    if n > 0 then sum = sum + 4 / 407 * e end
    sup, n = math.max(sup, e), n + 1
  end
  T.eq(n, 408)
  T.near(run.errors.q.l1, sum, 1e-12)
  T.near(run.errors.q.sup, sup, 1e-15)
  T.eq(run.evaluations, said.counts.evaluations)
end)

T.test("smooth orders, a reference of our own that says so", function()
  local r = study "forced_pendulum --schemes 'D-:M=1;D-:M=2;moreau-jean:theta=1' --step 0.1 --halvings 4"
  T.ok(r.reference:find("^D%-:M=4,quadrature=lobatto with h = .*because the model has no exact solution"), r.reference)
  for i, order in ipairs { 2, 4, 1 } do
    T.near(r.schemes[i].slopes.q.l1, order, 0.15)
    T.near(r.schemes[i].slopes.v.sup, order, 0.15)
  end
end)

T.test("another start than the exact solution's gets a reference of our own", function()
  local r = study "zeno_ball --schemes D-:M=1 --counts 50,100 --set q=0.5"
  T.ok(r.reference:find("belongs to another start", 1, true), r.reference)
end)

T.test("Hausdorff and dense norms on demand", function()
  local r = study "zeno_ball --schemes 'moreau-jean:theta=1' --counts 101,203 --norm hausdorff,dense"
  local e = r.schemes[1].runs[2].errors
  T.ok(e.v.hausdorff > 0 and e.v.hausdorff < e.v.sup, "an impact in the wrong step is a small shift of the graph")
  T.ok(e.q.dense > 0)
  -- a falling ball until 0.5, implicit Euler, h = 0.05: known in closed form
  local fall = study "zeno_ball --schemes 'moreau-jean:theta=1' --counts 10 --until 0.5 --norm dense"
  T.near(fall.schemes[1].runs[1].errors.v.dense, 0.025, 1e-9)
  T.near(fall.schemes[1].runs[1].errors.q.dense, 0.00645833333333, 1e-9)
end)

T.test("steps are chosen so that impacts miss the grid", function()
  local ladder = require "gen.study.ladder"
  local events = { 1, 2, 2.5, 2.75, 2.875 }
  for _, N in ipairs(ladder.counts(23, 8, 5, events, false)) do
    T.ok(ladder.distance(N, 5, events) >= 0.1, N .. " steps")
  end
  T.near(ladder.distance(50, 5, events), 0, 1e-12)
  T.eq(table.concat(ladder.counts(23, 4, 5, {}, false), " "), "23 47 93 187")
  T.eq(table.concat(ladder.counts(37, 3, 5, events, true), " "), "37 74 148")
  T.ok(ladder.nested { 0.4, 0.2, 0.1 } and not ladder.nested { 0.4, 0.3 })
end)

T.test("tolerances instead of steps", function()
  local r = study "impacting_oscillator --schemes 'capture:dg=D-,M=2,adaptive=on' --counts 23 --tolerances 1e-3,1e-5"
  local loose, tight = r.schemes[1].runs[1], r.schemes[1].runs[2]
  T.eq(loose.tolerance, 1e-3)
  T.ok(tight.errors.q.l1 < loose.errors.q.l1 / 10 and tight.evaluations > loose.evaluations)
end)

T.test("a run that fails is told in the table, the others stand", function()
  local r = study "forced_pendulum --schemes D+:M=2,iterations=2 --steps 0.4,0.00001 --until 1"
  T.ok(r.schemes[1].runs[1].failed:find("failed"), r.schemes[1].runs[1].failed)
end)

for _, case in ipairs {
  { "", "carom study needs a MODEL" },
  { "zeno_ball --schemes ';'", "%-%-schemes needs at least one scheme" },
  { "zeno_ball --schemes D=:M=1", "unknown family 'D='; did you mean 'D%-'%?; write one of" },
  { "zeno_ball --steps 0.1,x", "%-%-steps 'x' is not a finite number" },
  { "zeno_ball --steps 0.1,-1", "%-%-steps %-1 is not positive" },
  { "zeno_ball --steps 0.1 --counts 3", "exclude each other" },
  { "zeno_ball --counts 3.5", "%-%-counts 3.5 is not a whole number" },
  { "zeno_ball --halvings 3", "%-%-halvings needs %-%-step H" },
  { "zeno_ball --norm l3", "%-%-norm l3 is not known; did you mean 'l1'%?" },
  { "zeno_ball --set mas=2", "zeno_ball has no such name; did you mean 'mass'%?" },
  { "zeno_ball --until 0", "%-%-until 0 is not positive" },
  { "sphere_pile --counts 10,20", "sphere_pile is a pile %(contacts_among%)" },
  { "zeno_bal", "there is no such model; did you mean zeno_ball%?" },
  { "--paper zeno_ball", "%-%-paper takes no MODEL" },
  { "--paper --norm l1", "%-%-paper chooses its own models, schemes and steps" },
} do
  T.test("mistake: carom study " .. case[1], function()
    local said, code = carom("study " .. case[1])
    T.eq(code, 2, said)
    T.ok(said:find(case[2]), said)
    T.ok(not said:find("internal error", 1, true), said)
  end)
end

T.test("the page of the papers: a section appears only when its schemes exist", function()
  local paper = require "gen.study.paper"
  local catalogue = require "gen.scheme.catalogue"
  local without = { family = function(name) return name ~= "capture" and catalogue.family(name) or nil end }
  for _, section in ipairs(paper.sections) do
    T.ok(#paper.schemes(section, catalogue) == #section.schemes + #(section.ours or {}), section.id)
    T.eq(#paper.schemes(section, without) == 0, section.family == "capture", section.id)
  end
end)

fs.remove_tree(folder)
T.finish()
