-- Checks of trees of links: masses, inertias and fixed rotations.
local in_space = require "gen.lang.words.bodies.check"
local fail = require "gen.lang.core.fail"

local C = {}

local ROUNDING = 1e-12

local function matrix(rows, env, where, what)
  local A = {}
  for i = 1, 3 do
    A[i] = {}
    for j = 1, 3 do A[i][j] = in_space.number(rows[i][j], env, where, what) end
  end
  return A
end

local function rotation(A, where, what)
  for i = 1, 3 do
    local j, k = i % 3 + 1, (i + 1) % 3 + 1
    for l = 1, 3 do
      -- each row is the cross product of the other two
      local m, n = l % 3 + 1, (l + 1) % 3 + 1
      if math.abs(A[i][l] - (A[j][m] * A[k][n] - A[j][n] * A[k][m])) > 1e-9 then
        fail(where, "%s is no rotation: its rows must be perpendicular unit vectors in right-handed order; check them, or write "
          .. "{ axis = { x, y, z }, angle = ... }", what)
      end
    end
  end
end

-- three numbers that are the moments of some body: none negative, and no principal minor either
local function inertia(I, where, what)
  local scale = 0
  for i = 1, 3 do for j = 1, 3 do scale = math.max(scale, math.abs(I[i][j])) end end
  for i = 1, 3 do
    local j = i % 3 + 1
    if math.abs(I[i][j] - I[j][i]) > ROUNDING * scale then
      fail(where, "%s is not symmetric: entry %d,%d is %g and entry %d,%d is %g; write the same number twice", what, i, j, I[i][j],
        j, i, I[j][i])
    end
  end
  local det = 0
  for i = 1, 3 do
    local j, k = i % 3 + 1, (i + 1) % 3 + 1
    det = det + I[1][i] * (I[2][j] * I[3][k] - I[2][k] * I[3][j])
    if I[i][i] < 0 or I[i][i] * I[j][j] - I[i][j] ^ 2 < -ROUNDING * scale ^ 2 then det = -math.huge break end
  end
  if det < -ROUNDING * scale ^ 3 then
    fail(where, "%s is negative about some axis; write moments of inertia { Ixx, Iyy, Izz } that are 0 or more", what)
  end
end

--- Refuses a tree that cannot be meant.
function C.tree(t, env)
  for _, link in ipairs(t.links) do
    local what = "link '" .. link.name .. "'"
    local mass = in_space.number(link.mass, env, link, "mass of " .. what)
    if mass < 0 then fail(link, "mass of %s is %g; write a number that is 0 or more", what, mass) end
    inertia(matrix(link.inertia, env, link, "inertia of " .. what), link, "inertia of " .. what)
    rotation(matrix(link.rotation, env, link, "rotation of " .. what), link, "rotation of " .. what)
  end
end

return C
