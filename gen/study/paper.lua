-- The figures of two papers, measured anew, and beside each what the schemes of this project do:
--   Schindler and Acary, "Timestepping schemes for nonsmooth dynamics based on discontinuous Galerkin methods" (2013)
--   Acary, "Higher order event capturing time-stepping schemes for nonsmooth multibody systems ...", RR-7151 (2009)
-- A section names a model, its parameters, schemes and numbers of steps, what is plotted and tabulated, and the family or
-- key that must exist in the catalogue for it to appear.

local paper = {}

-- Numbers of steps: about the first, then nearly doubling, moved away from impacts on the grid (gen/study/ladder.lua).
local COARSE = { first = 23, rungs = 5 }
local FINE = { first = 101, rungs = 6 }
local REPORT = { first = 173, rungs = 6 }
local WORK = { first = 53, rungs = 8 }
local FOUR = { "l1", "l2", "sup", "hausdorff" }

local PRELOADED = { "f0=-4", "restitution=0.5" }
local FORCED = { "f0=-4", "amplitude=8", "omega=2", "restitution=0.5" }
local UNDAMPED = { "c=0" }

local classical = { "moreau-jean:theta=1", "moreau-jean:theta=0.5", "D-:M=1", "D-:M=2", "D-:M=3", "D+:M=1", "D+:M=2", "D+:M=3" }
local implicit = { "capture:rk=lobatto2", "capture:rk=radau3", "capture:rk=lobatto4", "capture:rk=radau5", "capture:rk=lobatto6" }
local explicit = { "capture:rk=heun2", "capture:rk=kutta3", "capture:rk=rk4", "capture:rk=dopri5" }
local galerkin = { "capture:dg=D-,M=1", "capture:dg=D-,M=2", "capture:dg=D-,M=3", "capture:dg=D-,M=4", "capture:dg=D+,M=2" }
local moreau = { "moreau-jean:theta=0.5", "moreau-jean:theta=0.5,gamma=1", "moreau-jean:theta=1" }

local function with(list, ...)
  local all = table.move(list, 1, #list, 1, {})
  for _, scheme in ipairs { ... } do all[#all + 1] = scheme end
  return all
end

-- the impulse of the ground: what the velocity has gained against the load
local function impulse_of(load)
  return { label = "i", name = "ground.impulse", value = function(t, x) return x["q.dot"] + load(t) end }
end

local DG, RR = "Schindler and Acary (2013), ", "RR-7151, "

paper.sections = {
  { id = "flight", title = "Free flight", source = DG .. "Figure 5", model = "free_flight", schemes = classical, ladder = COARSE,
    plots = { { "q", "l1" }, { "v", "l1" } }, norms = { "l1" }, slopes = { 1, 2, 4 },
    text = [[q'' = -10 t<sup>2</sup>, q(0) = 1, until t = 1. The paper integrates the dense output and finds order M+1; here errors
      are those at grid points, where the schemes with M &ge; 2 have none but rounding on this problem.]] },
  { id = "rest", title = "Rest under a growing load", source = DG .. "Figure 6", model = "rest", schemes = classical,
    ladder = COARSE, more = impulse_of(function(t) return 10 * t^3 / 3 end), plots = { { "i", "l1" } }, norms = { "l1" },
    slopes = { 1, 2 },
    text = [[q'' = -10 t<sup>2</sup> + r, 0 &le; q &perp; r &ge; 0 from q = 0: positions and velocities stay 0, the impulse
      i = 10 t<sup>3</sup>/3 is what is approximated. Simpson's rule and better ones integrate it exactly.]] },
  { id = "combined", title = "Impacts that accumulate, then rest", source = DG .. "Figure 7", model = "zeno_ball",
    schemes = with(classical, "schatzman-paoli"), ours = { "capture:dg=D-,M=1", "capture:dg=D-,M=2", "capture:rk=radau5" },
    ladder = FINE, more = impulse_of(function(t) return 2 * t end), plots = { { "q", "l1" }, { "v", "l1" }, { "i", "l1" } },
    norms = { "l1" }, slopes = { 1, 4 },
    text = [[q'' = -2 + r, restitution 1/2, from q = 1: impacts at 3 - 2<sup>1-n</sup>, rest from t = 3, until t = 4. Without
      locating impacts every scheme is of order one. Ours locate them as sharply as the order of the method needs; the
      flights are parabolas, so that only the error of the location is seen, of one order more than the method's.]] },
  { id = "moreau_ball", title = "Moreau-Jean in four norms: the ball", source = RR .. "Figure 2", model = "zeno_ball", until_time = 5,
    schemes = moreau, ours = { "capture:rk=radau5" }, ladder = REPORT, plots = { { "q", "l1" }, { "v", "l1" }, { "v", "hausdorff" } },
    norms = FOUR, slopes = { 1 }, graphs = true,
    text = [[Order one in all norms for positions; for velocities order one in L1 and in the Hausdorff distance of the filled-in
      graphs, one half in L2, none in the supremum norm: an impact is always treated in a wrong step. The scheme of ours has its
      full order on the grid; as a staircase through its grid values its graph is as far away as one step.]] },
  { id = "moreau_oscillator", title = "Moreau-Jean in four norms: the oscillator", source = RR .. "Figure 2",
    model = "impacting_oscillator", schemes = moreau, ours = { "capture:rk=radau5" }, ladder = REPORT,
    plots = { { "q", "l1" }, { "v", "l1" }, { "v", "hausdorff" } }, norms = FOUR, slopes = { 1 }, graphs = true,
    text = [[A damped oscillator with a wall at its rest position, five isolated impacts. The report does not print its numbers;
      these are ours (m = 1, c = 0.5, k = 10, restitution 0.8, q(0) = 1).]] },
  { id = "paoli_ball", title = "Schatzman-Paoli in four norms: the ball", source = RR .. "Figure 3", model = "zeno_ball",
    until_time = 5, schemes = { "schatzman-paoli:theta=0.5", "schatzman-paoli:theta=0" }, ladder = REPORT,
    plots = { { "q", "l1" }, { "v", "l1" }, { "v", "hausdorff" } }, norms = FOUR, slopes = { 1 }, graphs = true,
    text = [[The same picture for the scheme with impacts at the position level.]] },
  { id = "paoli_oscillator", title = "Schatzman-Paoli in four norms: the oscillator", source = RR .. "Figure 3",
    model = "impacting_oscillator", schemes = { "schatzman-paoli:theta=0.5", "schatzman-paoli:theta=0" }, ladder = REPORT,
    plots = { { "q", "l1" }, { "v", "l1" }, { "v", "hausdorff" } }, norms = FOUR, slopes = { 1 }, graphs = true,
    text = [[]] },
}

-- the steps that choose themselves: constant steps beside adaptive ones, over the work
for i, case in ipairs {
  { "adaptive_ball", "the ball", "zeno_ball", nil, 5, "Figure 4" },
  { "adaptive_oscillator", "the oscillator", "impacting_oscillator", nil, nil, "Figure 5" },
  { "adaptive_forced", "accumulation, rest and release", "impacting_oscillator", FORCED, nil, "Figures 4 and 5, a problem of ours" },
} do
  paper.sections[#paper.sections + 1] = { id = case[1], title = "Steps that choose themselves: " .. case[2],
    source = RR .. case[6], model = case[3], set = case[4], until_time = case[5], needs = "adaptive",
    schemes = { "moreau-jean:theta=0.5", "moreau-jean:theta=0.5,adaptive=on" },
    ours = { "capture:dg=D-,M=2,adaptive=on", "capture:rk=radau5,adaptive=on" },
    ladder = WORK, tolerances = { 1e-3, 1e-4, 1e-5, 1e-6, 1e-7 },
    plots = { { "q", "l1", "work" } }, norms = { "l1" },
    text = i == 1 and [[Error of q over evaluations of the model. Constant steps gain one digit for ten times the work. Adaptive ones
      refine where impacts are; the tolerance runs from 10<sup>-3</sup> to 10<sup>-7</sup> (absolute: a thousandth of it).]] or "" }
end

-- event capturing by Runge-Kutta methods of order 2 to 6, and by ours
for i, case in ipairs {
  { "ball", "zeno_ball", nil, 5, "the ball" }, { "osc", "impacting_oscillator", nil, nil, "the oscillator" },
  { "oscU", "impacting_oscillator", UNDAMPED, nil, "the undamped oscillator" },
  { "pre", "impacting_oscillator", PRELOADED, nil, "preloaded: accumulation and rest" },
  { "forced", "impacting_oscillator", FORCED, nil, "forced: accumulation, rest, release, accumulation" },
} do
  for _, kind in ipairs { { "implicit", implicit, "Figure 6", "implicit methods" },
    { "explicit", explicit, "Figure 7", "half-explicit methods" }, { "galerkin", galerkin, "ours", "discontinuous Galerkin" } } do
    paper.sections[#paper.sections + 1] = { id = kind[1] .. "_" .. case[1], family = "capture", needs = "capture",
      title = ("Event capturing, %s: %s"):format(kind[4], case[5]), source = kind[3] == "ours" and "ours" or RR .. kind[3],
      model = case[2], set = case[3], until_time = case[4], schemes = kind[2], ladder = COARSE, compact = i > 1,
      plots = { { "q", "l1" }, { "v", "l1" } }, norms = { "l1", "sup" }, slopes = { 2, 4, 6 },
      text = i == 1 and kind[1] == "implicit" and [[Between events a Runge-Kutta method, events located only as sharply as its order needs,
        impacts by Moreau's law. The flights of the ball are integrated exactly: what is seen is the error of the location, of
        order p + 1. The oscillators show the order p of the method.]] or "" }
  end
end

-- Does the catalogue hold what a section or scheme needs? A family, or a key of one.
local function has(catalogue, scheme)
  local name = scheme:match("^[^:]+")
  local family = catalogue.family(name)
  if not family then return false end
  for key in scheme:gmatch("([%w_]+)=") do
    local known = false
    for _, k in ipairs(family.keys) do known = known or k[1] == key end
    if not known then return false end
  end
  return true
end

--- The schemes of a section that exist, those of the papers first; empty when the section has to wait for its family.
function paper.schemes(section, catalogue)
  local list = {}
  for _, scheme in ipairs(section.schemes) do
    if has(catalogue, scheme) then list[#list + 1] = scheme end
  end
  if #list == 0 then return list end
  for _, scheme in ipairs(section.ours or {}) do
    if has(catalogue, scheme) then list[#list + 1] = scheme end
  end
  return list
end

--- Measures all sections: tools_for(model, set) gives the tools of gen/study/study.lua. Returns a list of { section, result }.
function paper.measure(measure, tools_for, catalogue, tick)
  local done = {}
  for i, section in ipairs(paper.sections) do
    local schemes = paper.schemes(section, catalogue)
    if #schemes > 0 then
      if tick then tick(("section %d of %d: %s"):format(i, #paper.sections, section.id)) end
      local tools, clean = tools_for(section.model, section.set)
      local good, result = pcall(measure, tools, { schemes = schemes, ladder = section.ladder, until_time = section.until_time,
        tolerances = section.tolerances, graphs = section.graphs, more = section.more })
      clean()
      if not good then error(result, 0) end
      done[#done + 1] = { section = section, result = result }
    end
  end
  return done
end

return paper
