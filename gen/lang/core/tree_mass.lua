-- The mass matrix of a tree of links at the start, in numbers, by composite bodies: in one frame fixed in space a joint that moves
-- alone gives what it carries the momentum p = m u + w x s, L = I w + s x u (w its spin, u its velocity at the origin; m, s, I mass and
-- moments of all that it carries about the origin), and an entry of M is what a joint below feels of that: w.L + u.p.
local E = require "gen.expr.node"
local eval = require("gen.expr.eval").eval

local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end

local function cross(a, b) return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] } end

local function turned(R, x) return { dot(R[1], x), dot(R[2], x), dot(R[3], x) } end

local function transposed(R)
  return { { R[1][1], R[2][1], R[3][1] }, { R[1][2], R[2][2], R[3][2] }, { R[1][3], R[2][3], R[3][3] } }
end

local function product(A, B)
  local T = transposed(B)
  return { turned(T, A[1]), turned(T, A[2]), turned(T, A[3]) }
end

local function plus(a, b, factor) return { a[1] + factor * b[1], a[2] + factor * b[2], a[3] + factor * b[3] } end

-- rotation by an angle about a unit axis
local function about(a, angle)
  local c, s, R = math.cos(angle), math.sin(angle), { {}, {}, {} }
  for i = 1, 3 do
    local j, k = i % 3 + 1, (i + 1) % 3 + 1
    R[i][i] = c + (1 - c) * a[i] ^ 2
    R[i][j] = (1 - c) * a[i] * a[j] - s * a[k]
    R[i][k] = (1 - c) * a[i] * a[k] + s * a[j]
  end
  return R
end

local UNIT = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }

-- mass, first moments and inertia about the origin of a body with its centre at c and inertia R I R^T about that
local function moments(m, c, R, I)
  I = product(product(R, I), transposed(R))
  local square = dot(c, c)
  for i = 1, 3 do
    for j = 1, 3 do I[i][j] = I[i][j] + m * ((i == j and square or 0) - c[i] * c[j]) end
  end
  return { m = m, s = { m * c[1], m * c[2], m * c[3] }, I = I }
end

local function gather(to, from)
  to.m, to.s = to.m + from.m, plus(to.s, from.s, 1)
  for i = 1, 3 do to.I[i] = plus(to.I[i], from.I[i], 1) end
end

--- Adds a tree to the rows of M (lower half). A free body at its root is left out, but for the mass it carries.
return function(M, term, env, index)
  local memo = {}
  local function number(node) return eval(E.lift(node), env, memo) end
  local function vector(list) return { number(list[1]), number(list[2]), number(list[3]) } end
  local function matrix(rows) return { vector(rows[1]), vector(rows[2]), vector(rows[3]) } end

  local base = term.base
  local root = { at = base and vector(base.at) or { 0, 0, 0 }, R = base and matrix(base.R) or UNIT, joints = {} }
  local links = { [0] = root }
  for k, link in ipairs(term.links) do
    local parent = links[link.parent]
    local R, axis, q = product(parent.R, matrix(link.rotation)), vector(link.axis), link.q and number(link.q) or 0
    local at, along = plus(parent.at, turned(parent.R, vector(link.at)), 1), turned(R, axis)
    local self = { parent = parent, column = link.q and index[E.sym(link.q.name .. ".dot", "v")] }
    if link.joint == "revolute" then
      self.w, self.u, R = along, cross(at, along), product(R, about(axis, q))
    elseif link.joint == "prismatic" then
      self.w, self.u, at = { 0, 0, 0 }, along, plus(at, along, q)
    end
    self.at, self.R = at, R
    self.carried = moments(number(link.mass), plus(at, turned(R, vector(link.center)), 1), R, matrix(link.inertia))
    links[k] = self
  end
  local function entry(i, j, x)
    i, j = math.max(i, j), math.min(i, j)
    M[i][j] = (M[i][j] or 0) + x
  end
  root.carried = moments(0, { 0, 0, 0 }, UNIT, { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } })
  for k = #term.links, 1, -1 do
    local link = links[k]
    local body = link.carried
    if link.column then
      local p = plus(cross(link.w, body.s), link.u, body.m)
      local L = plus(turned(body.I, link.w), cross(body.s, link.u), 1)
      local to = link
      while to ~= root do
        if to.column then entry(link.column, to.column, dot(to.w, L) + dot(to.u, p)) end
        to = to.parent
      end
      for i = 1, base and 3 or 0 do entry(link.column, index[E.sym(base.at[i].name .. ".dot", "v")], p[i]) end
    end
    gather(link.parent.carried, body)
  end
  for i = 1, base and 3 or 0 do
    local column = index[E.sym(base.at[i].name .. ".dot", "v")]
    entry(column, column, root.carried.m)
  end
end
