-- Checks of free bodies: masses, inertias and the start of rotations.
local E = require "gen.expr.node"
local eval = require("gen.expr.eval").eval
local fail = require "gen.lang.core.fail"

local C = {}

local ROUNDING = 1e-12

-- What is known of expressions in an environment: thousands of bodies share one mass.
local known = setmetatable({}, { __mode = "k" })

local function number(node, env, where, what)
  local plain = node.op == "num" and node.value
  if plain and plain - plain == 0 then return plain end
  local memo = known[env] or {}
  known[env] = memo
  if memo[node] then return memo[node] end
  for _, s in ipairs(E.symbols(node)) do
    if s.kind ~= "param" then
      fail(where, "%s depends on '%s'; write a number or an expression of parameters", what, s.name)
    end
  end
  local x = eval(node, env)
  if x ~= x or math.abs(x) == math.huge then
    fail(where, "%s is %s; write a finite number", what, x ~= x and "not a number (NaN)" or "infinite")
  end
  memo[node] = x
  return x
end

C.number = number

--- Adds the rotations at the start to the numbers of parameters in env.
function C.initial_values(model, env)
  local starts = {}
  for _, r in ipairs(model.rotations) do
    local what, size = "orientation of free body '" .. r.name .. "'", 0
    for i = 1, 4 do
      local x = number(r.initial[i], env, r, what)
      starts[#starts + 1], size = { r.q[i], x }, size + x * x
    end
    if math.abs(size - 1) > ROUNDING then
      fail(r, "%s has the length %g at the start, not 1; check the quaternion or the axis", what, math.sqrt(size))
    end
    for i = 1, 3 do
      starts[#starts + 1] = { r.v[i], number(r.spin[i], env, r, "spin of free body '" .. r.name .. "'") }
    end
  end
  for _, s in ipairs(starts) do env[s[1]] = s[2] end
end

-- the first leading minor that is not positive, if any
local function definite(I)
  local d1, d2 = I[1][1], I[1][1] * I[2][2] - I[1][2] ^ 2
  local d3 = I[1][1] * (I[2][2] * I[3][3] - I[2][3] ^ 2) - I[1][2] * (I[1][2] * I[3][3] - I[2][3] * I[1][3])
    + I[1][3] * (I[1][2] * I[2][3] - I[2][2] * I[1][3])
  return d1 > 0 and d2 > ROUNDING * I[1][1] * I[2][2] and d3 > ROUNDING * I[1][1] * I[2][2] * I[3][3]
end

--- Mass and inertia of one free body.
function C.free_body(t, env)
  local what = "free body '" .. t.name .. "'"
  local mass = number(t.mass, env, t, "mass of " .. what)
  if mass <= 0 then fail(t, "mass of %s is %g; write a positive number", what, mass) end
  local I, scale = {}, 0
  for i = 1, 3 do
    I[i] = {}
    for j = 1, 3 do
      I[i][j] = number(t.inertia[i][j], env, t, "inertia of " .. what)
      scale = math.max(scale, math.abs(I[i][j]))
    end
  end
  for i = 1, 3 do
    for j = 1, i - 1 do
      if math.abs(I[i][j] - I[j][i]) > ROUNDING * scale then
        fail(t, "inertia of %s is not symmetric: entry %d,%d is %g and entry %d,%d is %g; write the same number twice", what,
          i, j, I[i][j], j, i, I[j][i])
      end
    end
  end
  if not definite(I) then
    fail(t, "inertia of %s is not positive definite; write three positive moments { Ixx, Iyy, Izz } (a free body turns: it "
      .. "needs inertia about every axis)", what)
  end
end

--- The rotation symbols of a model: their set.
function C.symbols(model)
  local set = {}
  for _, r in ipairs(model.rotations) do
    for i = 1, 4 do set[r.q[i]] = true end
    for i = 1, 3 do set[r.v[i]] = true end
  end
  return set
end

--- A term whose energy is written by hand, or a planar body, knows nothing of rotations in space.
function C.no_rotation(t, set, nodes, what)
  for _, node in ipairs(nodes) do
    for _, s in ipairs(E.symbols(node)) do
      if set[s] then
        fail(t, "%s depends on '%s', the rotation of a free body; a free body brings its own kinetic energy: leave it out",
          what, s.name)
      end
    end
  end
end

--- A third component of gravity needs something that falls that way.
function C.gravity(model)
  if not (model.gravity and model.gravity[3]) or #model.rotations > 0 then return end
  for _, t in ipairs(model.terms) do if t.kind == "tree" then return end end
  fail(model, "gravity has a third component but there is no free body and no link; write m:gravity(gx, gy)")
end

return C
