-- The catalogue tells the truth: for every family of gen/scheme/catalogue.lua the declared orders in smooth motion, in
-- persistent contact and through impacts are reached, measured by the machinery of `carom study`. tests/e2e/orders.lua looks
-- closer at single schemes; here no family may be left out, and what is written in the catalogue is what is tested.
--
-- Reached means: the slope fitted to the L1 errors on the grid is not below the declared order by more than
--   0.15  in smooth motion (the double pendulum, away from its floor)
--   0.35  in persistent contact (the bowl: the error also holds the drift of the gap, which is not smooth in h)
--   0.35  through impacts (five of the oscillator; accumulation, rest, release and accumulation of the forced one)
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local catalogue = require "gen.scheme.catalogue"
local command = require "gen.cli.study"
local study = require "gen.study.study"

-- Per family the schemes that are measured: all methods, and both kinds of every choice that changes an order. Schatzman-Paoli
-- calls the velocity of the middle of two steps that of their end: only its positions have an order.
local measured = {
  ["moreau-jean"] = { "moreau-jean:theta=0.5", "moreau-jean:theta=1", "moreau-jean:theta=0" },
  ["schatzman-paoli"] = { "schatzman-paoli:theta=0.5", "schatzman-paoli:theta=0", only = "q" },
  alpha = { "alpha:rho=0.8", "alpha:rho=1" },
  ["D-"] = { "D-:M=1", "D-:M=2", "D-:M=3", "D-:M=3,quadrature=lobatto" },
  ["D+"] = { "D+:M=1", "D+:M=2", "D+:M=3" },
  capture = { "capture:dg=D-,M=1", "capture:dg=D-,M=2", "capture:dg=D-,M=3", "capture:dg=D-,M=4", "capture:dg=D+,M=2",
    "capture:rk=radau3", "capture:rk=radau5", "capture:rk=lobatto2", "capture:rk=lobatto4", "capture:rk=lobatto6",
    "capture:rk=heun2", "capture:rk=kutta3", "capture:rk=rk4", "capture:rk=dopri5" },
}

-- The number a text of the catalogue means for a scheme of this order in smooth motion.
local function declared(text, smooth)
  if text:find("^as ") then return smooth end
  return tonumber(text:match("^%d+")) or error("cannot read the order '" .. text .. "'")
end

T.test("no family is left out", function()
  for _, family in ipairs(catalogue.families) do T.ok(measured[family.name], family.name .. " is not measured here") end
end)

local LOCATED = { 23, 47, 93, 187, 373 }
local FINE = { first = 173, rungs = 7 }

local smooth_order = {}

-- The order in smooth motion that the plan of a scheme declares.
local function order_in_smooth_motion(scheme, case)
  if not smooth_order[scheme] then
    local tools, clean = command.tools(case.model, case.set)
    smooth_order[scheme] = tools.compile(tools.load(), scheme).plan.order
    clean()
  end
  return smooth_order[scheme]
end

-- Every second scheme of a long list, the others with the next model; the long run measures all with all.
local function chosen(list, turn) return #list < 5 and list or T.half(list, turn) end

-- Runs the schemes of a family on one model and compares slopes.
local function check(family, case)
  local groups, order_of = {}, {} -- schemes with the same steps are one study
  for _, scheme in ipairs(chosen(measured[family.name], case.turn)) do
    local order = declared(case.text(family), order_in_smooth_motion(scheme, case))
    local kind = case.kind(order)
    groups[kind] = groups[kind] or { schemes = {} }
    table.insert(groups[kind].schemes, scheme)
    order_of[scheme] = order
  end
  for _, kind in ipairs { "low", "high" } do
    local group = groups[kind]
    if group then
      local tools, clean = command.tools(case.model, case.set)
      local spec = { schemes = group.schemes, until_time = case.until_time }
      for _, key in ipairs { "counts", "ladder" } do spec[key] = case[kind][key] end
      local result = study.measure(tools, spec)
      clean()
      for i, entry in ipairs(result.schemes) do
        local scheme = group.schemes[i]
        for _, label in ipairs(measured[family.name].only and { "q" } or { "q", "v" }) do
          local slope = entry.fit[label].l1
          T.ok(slope and slope >= order_of[scheme] - case.tolerance, ("%s on %s: order of %s is %s, declared %d"):format(scheme,
            case.model, label, slope and ("%.2f"):format(slope) or "not measurable", order_of[scheme]))
        end
      end
    end
  end
end

local function by_order(order) return order <= 1 and "low" or "high" end

for _, family in ipairs(catalogue.families) do
  T.test("smooth motion: " .. family.name, function()
    check(family, { turn = 0, model = "double_pendulum", set = { "depth=10" }, until_time = 1, tolerance = 0.15,
      text = function() return "as smooth" end, kind = function(order) return order <= 3 and "low" or "high" end,
      low = { counts = { 80, 160, 320, 640 } }, high = { counts = { 10, 20, 40, 80 } } })
  end)
  T.test("persistent contact: " .. family.name, function()
    check(family, { turn = 1, model = "bowl", until_time = 2, tolerance = 0.35, text = function(f) return f.rest end, kind = by_order,
      low = { counts = { 100, 200, 400, 800, 1600 } }, high = { counts = { 50, 100, 200, 400 } } })
  end)
  T.test("isolated impacts: " .. family.name, function()
    check(family, { turn = 2, model = "impacting_oscillator", tolerance = 0.35, text = function(f) return f.impacts end, kind = by_order,
      low = { ladder = FINE }, high = { counts = LOCATED } })
  end)
  T.test("accumulation, rest and release: " .. family.name, function()
    check(family, { turn = 3, model = "impacting_oscillator", set = { "f0=-4", "amplitude=8", "restitution=0.5" }, tolerance = 0.35,
      text = function(f) return f.impacts end, kind = by_order, low = { ladder = FINE }, high = { counts = LOCATED } })
  end)
end

T.finish()
