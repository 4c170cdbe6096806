-- Rigid bodies joined to a tree, in joint coordinates, by recursion through the links: nothing is differentiated, and every
-- intermediate value is a node that all entries share.
--   h   inverse dynamics with v' = 0 (recursive Newton-Euler): velocities and accelerations outwards, forces inwards
--   M   composite bodies: the inertia of all that a joint carries, and the force a unit acceleration of the joint needs
-- (M^-1 of long trees: articulated.lua, on the same links)
-- Link i has a frame of its own; that of a joint is turned by R0 and placed at `at` in the frame of the parent, and the joint
-- turns it about `axis` (revolute) or moves it along (prismatic). All vectors are in the frame of their link. Gravity is an
-- upward acceleration of the ground.
--
-- (J. Y. S. Luh, M. W. Walker, R. P. C. Paul 1980; R. Featherstone, "Rigid Body Dynamics Algorithms", 2008, ch. 5 and 6.)
local E = require "gen.expr.node"
local F = require "gen.mech.frames"
local level = require "gen.expr.level"
local reframe = require "gen.mech.reframe"

local T = {}

local PER_LINK, BASE = 29, 15

--- The arguments of a tree as one flat list of nodes, and its layout "revolute 0;prismatic 1" (joint, number of the parent):
-- what a piece needs so that trees that are alike can be found. base: the free body that number 0 is, { at, R, w }; else it is
-- the ground.
function T.arguments(links, gravity, base)
  local args, layout = { E.lift(gravity[1] or 0), E.lift(gravity[2] or 0), E.lift(gravity[3] or 0) }, {}
  local function put(list) for _, x in ipairs(list) do args[#args + 1] = E.lift(x) end end
  if base then
    layout[1] = "free"
    put(base.at)
    for i = 1, 3 do put(base.R[i]) end
    put(base.w)
  end
  for _, link in ipairs(links) do
    layout[#layout + 1] = link.joint .. " " .. link.parent
    put { link.q or 0 }
    put(link.axis)
    put(link.at)
    for i = 1, 3 do put(link.rotation[i]) end
    put { link.mass }
    put(link.center)
    for i = 1, 3 do put(link.inertia[i]) end
  end
  return args, table.concat(layout, ";")
end

-- first moment and inertia about the origin of the link from mass, centre and inertia about the centre
local function inertial(mass, center, inertia)
  local s = F.times(mass, center)
  return { m = mass, s = s, I = F.sum(inertia, F.shift(center, F.times(0.5, s))) }
end

--- What a body is about the origin of a frame that is turned by `turns` and stands at -r, seen from there.
local function carried(body, turns, r)
  local s, I = body.s, body.I
  for k = #turns, 1, -1 do s, I = F.turn(turns[k], s), F.turn_tensor(turns[k], I) end
  local t = F.plus(s, F.times(0.5 * body.m, r))
  return { m = body.m, s = F.plus(s, F.times(body.m, r)), I = F.sum(I, F.shift(r, t)) }
end

local function together(a, b) return { m = a.m + b.m, s = F.plus(a.s, b.s), I = F.sum(a.I, b.I) } end

-- Links from the flat list, and the base. Fixed ones are melted into what they are fixed to, which costs nothing at run time.
local function links_of(args, layout)
  local links, moving, at = {}, {}, 3
  local function take(n)
    at = at + n
    return { table.unpack(args, at - n + 1, at) }
  end
  local k, base = 0, nil
  if layout:find "^free" then
    base = { x = take(3), R = { rows = { take(3), take(3), take(3) } }, w = take(3), joint = "free", turns = {}, r = F.zero(),
      body = { m = E.zero, s = F.zero(), I = { F.zero(), F.zero(), F.zero() } } }
    links[0] = base
  end
  for joint, parent in layout:gmatch("(%w+) (%d+)") do
    k = k + 1
    local link = { joint = joint, parent = links[tonumber(parent)], q = take(1)[1], axis = take(3), at = take(3) }
    local rows = { take(3), take(3), take(3) }
    local mass, center = take(1)[1], take(3)
    local inertia = { take(3), take(3), take(3) }
    local on = link.parent
    if on and on.joint == "fixed" then
      link.at = F.plus(on.at, F.product(on.rows, link.at))
      rows = F.chain(on.rows, rows)
      link.parent = on.parent
    end
    link.rows = rows
    link.body = inertial(mass, center, inertia)
    if joint == "fixed" then
      on = link.parent
      if on then
        on.body, on.center = together(on.body, carried(link.body, { F.rotation(rows) }, link.at)), nil
      end
    else
      link.center, link.inertia = center, inertia
      moving[#moving + 1] = link
    end
    links[k] = link
  end
  assert(at == 3 + PER_LINK * k + (base and BASE or 0))
  return moving, base
end

-- Centre and inertia about it, anew where something was melted in.
local function centred(link)
  local b = link.body
  if link.center then return end
  if b.m == E.zero then
    link.center, link.inertia = F.zero(), b.I
    return
  end
  link.center = { b.s[1] / b.m, b.s[2] / b.m, b.s[3] / b.m }
  local about = F.shift(link.center, F.times(0.5, b.s))
  link.inertia = F.sum(b.I, { F.times(-1, about[1]), F.times(-1, about[2]), F.times(-1, about[3]) })
end

-- where the joint takes a link: r, its origin in the frame of the parent, and the rotations, outermost first
local function place(link)
  link.turns = {}
  for k, rows in ipairs(link.turned or { link.rows }) do link.turns[k] = F.rotation(rows) end
  if link.joint == "revolute" then
    link.turns[#link.turns + 1], link.r = reframe.joint(link), link.at
  else
    local slide = F.times(link.q, link.axis)
    for k = #link.turns, 1, -1 do slide = F.turn(link.turns[k], slide) end
    link.r = F.plus(link.at, slide)
  end
end

local function outwards(link, x)
  for _, R in ipairs(link.turns) do x = F.turn_back(R, x) end
  return x
end

local function inwards(link, x)
  for k = #link.turns, 1, -1 do x = F.turn(link.turns[k], x) end
  return x
end

-- a force and a torque on a link as its parent feels them
local function handed_on(link, f, n)
  f = inwards(link, f)
  return f, F.plus(inwards(link, n), F.cross(link.r, f))
end

-- Acceleration of the point r of a frame against its origin is U r: U = [alpha]x + w w^T - |w|^2 1.
local function relative(w, alpha)
  local U, ww, sq = { {}, {}, {} }, {}, {}
  for i = 1, 3 do
    ww[i] = w[i % 3 + 1] * w[(i + 1) % 3 + 1]
    sq[i] = w[i] ^ 2
  end
  for i = 1, 3 do
    local j, k = i % 3 + 1, (i + 1) % 3 + 1
    U[i][i] = -(sq[j] + sq[k])
    U[k][j], U[j][k] = ww[i] + alpha[i], ww[i] - alpha[i]
  end
  return U, ww, sq
end

-- I alpha + w x I w, with what the products have in common
local function torque(I, alpha, U, ww, sq)
  local n = {}
  for i = 1, 3 do
    local j, k = i % 3 + 1, (i + 1) % 3 + 1
    n[i] = I[i][i] * alpha[i] + (I[k][k] - I[j][j]) * ww[i] - I[i][j] * U[k][i] + I[i][k] * U[j][i] + I[j][k] * (sq[j] - sq[k])
  end
  return n
end

-- Force and torque (about the origin of each link, and of the base) that the motion with v' = 0 needs, against gravity.
local function inverse_dynamics(links, v, gravity, base)
  if base then -- what is fixed to it about its origin; the body itself is a term of its own
    local ww, sq
    base.alpha, base.a = F.zero(), F.turn_back(base.R, F.times(-1, gravity))
    base.U, ww, sq = relative(base.w, base.alpha)
    base.f = F.plus(F.times(base.body.m, base.a), F.product(base.U, base.body.s))
    base.n = F.plus(torque(base.body.I, base.alpha, base.U, ww, sq), F.cross(base.body.s, base.a))
  end
  for _, link in ipairs(links) do
    local parent = link.parent or { w = F.zero(), alpha = F.zero(), a = F.times(-1, gravity), U = { F.zero(), F.zero(), F.zero() } }
    local w, rate = outwards(link, parent.w), F.times(v[link], link.axis)
    link.a = outwards(link, F.plus(parent.a, F.product(parent.U, link.r)))
    link.alpha = outwards(link, parent.alpha)
    if link.joint == "revolute" then
      link.w, link.alpha = F.plus(w, rate), F.plus(link.alpha, F.cross(w, rate))
    else
      link.w, link.a = w, F.plus(link.a, F.times(2, F.cross(w, rate)))
    end
    local ww, sq
    link.U, ww, sq = relative(link.w, link.alpha)
    link.f, link.n = F.zero(), F.zero()
    if link.body.m ~= E.zero then
      link.f = F.times(link.body.m, F.plus(link.a, F.product(link.U, link.center)))
      link.n = F.cross(link.center, link.f)
    end
    link.n = F.plus(torque(link.inertia, link.alpha, link.U, ww, sq), link.n)
  end
  for k = #links, 1, -1 do
    local link, parent = links[k], links[k].parent
    if parent then
      local f, n = handed_on(link, link.f, link.n)
      parent.f, parent.n = F.plus(parent.f, f), F.plus(parent.n, n)
    end
  end
end

-- the component of a force and torque that a joint feels
local function along(link, f, n) return F.dot(link.axis, link.joint == "revolute" and n or f) end

-- What a base feels of its tree: f turned into space acts on its place, n on its spin. put(index, component)
local function on_base(base, direction, f, n, put)
  f = F.turn(base.R, f)
  for k = 1, 3 do
    put(direction[base.x[k]], f[k])
    put(direction[base.w[k]], n[k])
  end
end

-- M of the base with all that it carries: mass along its place, inertia about its origin, and what couples them
local function carried_by_base(base, direction, entry)
  local body, I = base.composite, base.composite.I
  for k = 1, 3 do
    entry(direction[base.x[k]], direction[base.x[k]], body.m)
    local axis = F.zero()
    axis[k] = E.one
    local f = F.turn(base.R, F.cross(axis, body.s))
    for i = 1, 3 do
      entry(direction[base.w[k]], direction[base.x[i]], f[i])
      if i <= k then entry(direction[base.w[k]], direction[base.w[i]], I[k][i]) end
    end
  end
end

-- Contributions to h, as a list of { i, expression }. Places the links, which those to M build on.
local function forces(links, base, ctx, gravity)
  local v, list = {}, {}
  for _, link in ipairs(links) do
    link.number = ctx.direction[link.q]
    v[link] = ctx.v[link.number]
    centred(link)
    place(link)
  end
  inverse_dynamics(links, v, gravity, base)
  for _, link in ipairs(links) do list[#list + 1] = { link.number, -along(link, link.f, link.n) } end
  if base then on_base(base, ctx.direction, base.f, base.n, function(i, x) list[#list + 1] = { i, -x } end) end
  return list
end

-- Contributions to M, as a list of { i, j, expression }.
local function inertias(links, base, ctx)
  local list = {}
  local function entry(i, j, x) list[#list + 1] = { math.max(i, j), math.min(i, j), x } end
  for _, link in ipairs(links) do link.composite = link.body end
  if base then base.composite = base.body end
  for k = #links, 1, -1 do
    local link = links[k]
    local body = link.composite
    if link.parent then link.parent.composite = together(link.parent.composite, carried(body, link.turns, link.r)) end
    local f, n
    if link.joint == "revolute" then
      f, n = F.cross(link.axis, body.s), F.product(body.I, link.axis)
    else
      f, n = F.times(body.m, link.axis), F.cross(body.s, link.axis)
    end
    local to = link
    while to and to ~= base do
      entry(link.number, to.number, along(to, f, n))
      f, n = handed_on(to, f, n)
      to = to.parent
    end
    if base then on_base(base, ctx.direction, f, n, function(i, x) entry(link.number, i, x) end) end
  end
  if base then carried_by_base(base, ctx.direction, entry) end
  return list
end

--- Kinetic energy, and potential energy in gravity: velocities outwards through the links. v[q]: the velocity of a position.
function T.energy(args, layout, v)
  local links, base = links_of(args, layout)
  local gravity, sum = { args[1], args[2], args[3] }, E.zero
  local function add(link, body)
    local Iw, swept = F.product(body.I, link.w), F.cross(link.w, body.s)
    sum = sum + 0.5 * (body.m * F.dot(link.u, link.u) + F.dot(link.w, Iw)) + F.dot(link.u, swept) - F.dot(link.g, body.s)
      - body.m * link.height
  end
  if base then
    base.u, base.g = F.turn_back(base.R, { v[base.x[1]], v[base.x[2]], v[base.x[3]] }), F.turn_back(base.R, gravity)
    base.height = F.dot(gravity, base.x)
    add(base, base.body)
  end
  local ground = { w = F.zero(), u = F.zero(), g = gravity, height = E.zero }
  for _, link in ipairs(links) do
    centred(link)
    place(link)
    local parent, rate = link.parent or ground, F.times(v[link.q], link.axis)
    link.w, link.g = outwards(link, parent.w), outwards(link, parent.g)
    link.u = outwards(link, F.plus(parent.u, F.cross(parent.w, link.r)))
    link.height = parent.height + F.dot(parent.g, link.r) -- gravity along the way to its origin
    if link.joint == "revolute" then link.w = F.plus(link.w, rate) else link.u = F.plus(link.u, rate) end
    add(link, link.body)
  end
  return sum
end

--- M has as many entries as pairs of links: that of longer trees is made only for who cannot do without.
T.long = 24

-- What equations cost.
local function cost(links, base, ctx, h)
  local roots = {}
  for k, item in ipairs(h) do roots[k] = item[2] end
  for _, item in ipairs(#links <= T.long and inertias(links, base, ctx) or {}) do roots[#roots + 1] = item[3] end
  return level.cost(roots)
end

--- Contributions to M and h. layout as T.arguments gives it; ctx.direction[q] numbers the coordinates. Where joints stand
-- obliquely other frames are tried as well, and the shorter equations taken. Who has out.tree is told the links of a tree on the ground
-- instead of its M: out.tree(links, inertias), the latter calls back with the entries of M.
function T.derive(args, ctx, out, layout)
  local gravity = { args[1], args[2], args[3] }
  local links, base = links_of(args, layout)
  local h = forces(links, base, ctx, gravity)
  if reframe.helps(links) then
    local again, same_base = links_of(args, layout)
    reframe.apply(again)
    local other = forces(again, same_base, ctx, gravity)
    if cost(again, same_base, ctx, other) < cost(links, base, ctx, h) then links, base, h = again, same_base, other end
  end
  for _, item in ipairs(h) do out.h(item[1], item[2]) end
  local function all(put)
    for _, item in ipairs(inertias(links, base, ctx)) do put(item[1], item[2], item[3]) end
  end
  if out.tree and not base then out.tree(links, all) else all(out.M) end
end

return T
