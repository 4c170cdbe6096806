-- Keys of schemes: one that is accepted shows in the text, one that nothing reads is refused with the names of those that are.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local P = require "gen.pipeline"
local catalogue = require "gen.scheme.catalogue"

-- curved, damped, with friction and a constraint: everything a scheme may have to do
local MECHANISM = [[
local carom = require "carom"
local m = carom.model "mechanism"
local a, b, c = m:coordinate("a", { initial = 0.3 }), m:coordinate("b", { initial = 1 }), m:coordinate("c", { initial = 1 })
m:kinetic_energy(0.5 * (1.5 + b^2) * a.dot^2 + 0.5 * b.dot^2 + 0.5 * c.dot^2)
m:potential_energy(9.81 * b * carom.cos(a) + 3.1 * b^4)
m:force(a, -0.1 * a.dot)
m:contact("floor", { gap = b * carom.cos(a) %s})
m:contact("wall", { gap = b + carom.sin(a) %s})
m:constraint("rail", c - b)
return m]]
local FRICTION = { ", friction = 0.3, slide = b * carom.sin(a)", ", friction = 0.3, slide = a" }
local PILE = [[
local carom = require "carom"
local m = carom.model "pile"
m:gravity(0, 0, -9.81)
local balls = {}
for i = 1, 2 do
  local ball = m:free_body("ball" .. i, { mass = 1, inertia = 0.4, at = { 0, 0, 2 * i } })
  balls[i] = m:sphere("s" .. i, { body = ball, radius = 0.5 })
end
local ground = m:plane("ground", { at = { 0, 0, 0 }, normal = { 0, 0, 1 } })
m:contacts_among({ balls[1], balls[2], ground }, { friction = 0.3 })
return m]]

-- for each key a value that is not the default
local OTHER = { theta = "0.7", gamma = "0.7", mass = "end", stages = "fixed-point", tol = "2e-9", iterations = "40", tg = "1e-9",
  tv = "1e-7", ctol = "1e-10", solver = "nsgs", rtol = "1e-5", atol = "1e-8", atolv = "1e-8", hmin = "1e-13", dense = "on",
  lumped = "on", quadrature = "lobatto", impact = "literal", C = "2", kappa = "2", length = "2.5", speed = "2.5", time = "2.5",
  force = "2.5", projection = "off", contact = "position", kmax = "5", level = "velocity", strict = "on" }

-- all C of a model with a scheme, without the names of the scheme; nil and the message where it is refused
local function text_of(model, scheme)
  local good, unit = pcall(function() return P.compile(P.load("m.lua", { text = model }), { scheme = scheme }) end)
  if not good then return nil, unit.message end
  local parts = {}
  for i, file in ipairs(unit.files) do parts[i] = file.text end
  local text = table.concat(parts)
  for _, name in ipairs { unit.spec.canonical, unit.digest } do text = text:gsub(name:gsub("%p", "%%%0"), "") end
  return text
end

-- What comes of every key of the family of `base` that it does not give: "read" or the reason why not.
local function try_keys(model, base)
  local found = {}
  local plain = assert(text_of(model, base))
  for _, key in ipairs(catalogue.family(base:match("^[^:]*")).keys) do
    local name = key[1]
    -- what makes the method is not tried; Runge-Kutta methods have no nodes to choose
    local essential = name == "M" or name == "degrees" or name == "rk" or name == "dg" or name == "adaptive"
      or name == "quadrature" and base:find("rk=", 1, true)
    if not essential and not base:find("[:,]" .. name .. "=") then
      local value = OTHER[name] or error("no value for key " .. name)
      local text, why = text_of(model, base .. (base:find(":") and "," or ":") .. name .. "=" .. value)
      if text then
        T.ok(text ~= plain, ("%s: %s=%s is accepted and changes nothing"):format(base, name, value))
        found[name] = "read"
      else
        found[name] = why:match("is not read ([^;]*); keys that are: %a") or error(base .. " " .. name .. ": " .. why)
      end
    end
  end
  return found
end

local rough = MECHANISM:format(table.unpack(FRICTION))
local smooth = MECHANISM:format("", "")

for _, case in ipairs {
  { "moreau-jean:projection=off,contact=velocity", rough }, { "moreau-jean:theta=0,projection=off,contact=velocity", rough },
  { "moreau-jean:gamma=1,contact=velocity,projection=joints,adaptive=on", rough },
  { "moreau-jean:projection=on,contact=velocity", rough }, { "D-:M=1,impact=total,quadrature=clenshaw-curtis", rough },
  { "D-:M=3", smooth, { "ctol", "solver" } }, { "D+:M=3,adaptive=on,impact=total", rough },
  { "D-:M=1,impact=split,quadrature=clenshaw-curtis", rough },
  { "schatzman-paoli", smooth }, { "capture:rk=radau5", rough }, { "capture:rk=rk4,adaptive=on", rough },
} do
  T.test("every key that " .. case[1] .. " accepts is read", function()
    local base = case[1]
    for _, name in ipairs(case[3] or {}) do base = base .. "," .. name .. "=" .. OTHER[name] end -- they are for friction
    local found = try_keys(case[2], base)
    local adaptive = base:find("adaptive=on", 1, true)
    for _, name in ipairs { "rtol", "atol", "atolv", "hmin" } do
      if found[name] then T.eq(found[name], adaptive and "read" or "without adaptive=on", name) end
    end
    if found.kmax then T.eq(found.kmax, base:find "split" and "read" or "without impact=split") end
    if found.gamma then
      local projected = base:find("projection=on", 1, true)
      T.eq(found.gamma, projected and "with projection=on, which takes contacts at g <= tg" or "read")
    end
    if found.tol and (base:find("theta=0", 1, true) or base:find("D-:M=1", 1, true) or base:find("rk4", 1, true)) then
      T.eq(found.tol, "for an explicit method")
    elseif found.tol then
      T.eq(found.tol, "read")
    end
  end)
end

T.test("every key that a pile accepts is read", function()
  local found = try_keys(PILE, "moreau-jean:theta=1,stages=fixed-point,projection=off")
  for _, name in ipairs { "rtol", "atol", "atolv", "hmin" } do T.eq(found[name], "without adaptive=on", name) end
  for _, name in ipairs { "gamma", "tol", "iterations", "tg", "ctol", "strict", "solver", "mass", "tv", "dense" } do
    T.eq(found[name], "read", name)
  end
end)

-- A mesh goes to PETSc when it is refined: its mass must stay what it was.
T.test("the masses of a mesh are lumped alike on the small path and on PETSc", function()
  local mesh = [[
local carom = require "carom"
local m = carom.model "plate"
local b = m:mesh("b", { cells = { 1, 1 }, size = { 1, 1 } })
m:elastic(b, { E = 1e7, nu = 0.3, rho = 1000 })
m:contact_surface("floor", { mesh = b, boundary = "bottom", gap = function(x, y) return y end })
return m]]
  for scheme, lumped in pairs { ["moreau-jean:theta=0.5"] = "off", ["schatzman-paoli:theta=0"] = "on", ["D-:M=1"] = "on",
    ["D+:M=1"] = "on", ["alpha:rho=0.7"] = "on" } do
    local function text(more) return (assert(text_of(mesh, scheme .. (more or "")))) end
    T.eq(text(), text(",lumped=" .. lumped), scheme .. ": what it is when nothing is said")
    T.ok(text() ~= text(",lumped=" .. (lumped == "on" and "off" or "on")), scheme .. ": the key changes it")
    local parts = {}
    for i, file in ipairs(P.compile_large(P.load("m.lua", { text = mesh }), { scheme = scheme }).files) do parts[i] = file.text end
    T.eq(table.concat(parts):match("%.lumped = (%d)"), lumped == "on" and "1" or "0", scheme .. ": on PETSc")
  end
end)

T.test("the message names the keys in force", function()
  local _, why = text_of(smooth, "moreau-jean:projection=off,rtol=1e-3")
  T.eq(why:match("rtol=1e%-3 is not read without adaptive=on; keys that are: theta, gamma, .*mass,") ~= nil, true, why)
  T.ok(not why:find("atol", 1, true) and not why:find("lumped", 1, true), why)
end)

T.finish()
