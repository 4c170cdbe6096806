-- Rigid bodies joined to a tree, in joint coordinates, by recursion through the links: nothing is differentiated, and every
-- intermediate value is a node that all entries share.
--   h   inverse dynamics with v' = 0 (recursive Newton-Euler): velocities and accelerations outwards, forces inwards
--   M   composite bodies: the inertia of all that a joint carries, and the force a unit acceleration of the joint needs
-- Link i has a frame of its own; that of a joint is turned by R0 and placed at `at` in the frame of the parent, and the joint
-- turns it about `axis` (revolute) or moves it along (prismatic). All vectors are in the frame of their link. Gravity is an
-- upward acceleration of the ground.
--
-- (J. Y. S. Luh, M. W. Walker, R. P. C. Paul 1980; R. Featherstone, "Rigid Body Dynamics Algorithms", 2008, ch. 5 and 6.)
local E = require "gen.expr.node"
local F = require "gen.mech.frames"

local T = {}

local PER_LINK = 29

--- The arguments of a tree as one flat list of nodes, and its layout "revolute 0;prismatic 1" (joint, number of the parent):
-- what a piece needs so that trees that are alike can be found.
function T.arguments(links, gravity)
  local args, layout = { E.lift(gravity[1] or 0), E.lift(gravity[2] or 0), E.lift(gravity[3] or 0) }, {}
  local function put(list) for _, x in ipairs(list) do args[#args + 1] = E.lift(x) end end
  for k, link in ipairs(links) do
    layout[k] = link.joint .. " " .. link.parent
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

-- Links from the flat list. Fixed ones are melted into what they are fixed to, which costs nothing at run time.
local function links_of(args, layout)
  local links, moving, at = {}, {}, 3
  local function take(n)
    at = at + n
    return { table.unpack(args, at - n + 1, at) }
  end
  local k = 0
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
  assert(at == 3 + PER_LINK * k)
  return moving
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
  local mounting = F.rotation(link.rows)
  if link.joint == "revolute" then
    link.turns, link.r = { mounting, F.about(link.axis, link.q) }, link.at
  else
    link.turns, link.r = { mounting }, F.plus(link.at, F.turn(mounting, F.times(link.q, link.axis)))
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

-- Force and torque (about the origin of each link) that the motion with v' = 0 needs, against gravity.
local function inverse_dynamics(links, v, gravity)
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

--- Contributions to M and h. layout as T.arguments gives it; ctx.direction[q] numbers the coordinates.
function T.derive(args, ctx, out, layout)
  local links, v, at = links_of(args, layout), {}, {}
  for _, link in ipairs(links) do
    at[link] = ctx.direction[link.q]
    v[link] = ctx.v[at[link]]
    centred(link)
    place(link)
    link.composite = link.body
  end
  inverse_dynamics(links, v, { args[1], args[2], args[3] })
  for _, link in ipairs(links) do out.h(at[link], -along(link, link.f, link.n)) end
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
    while to do
      local i, j = at[link], at[to]
      out.M(math.max(i, j), math.min(i, j), along(to, f, n))
      f, n = handed_on(to, f, n)
      to = to.parent
    end
  end
end

return T
