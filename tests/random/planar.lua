-- Random mechanisms in the plane: points, rigid bodies, pendulums hung on each other, beads on curves; springs, dampers,
-- potentials, forces; rods and drives; contacts of points with lines and circles, of disks and boxes, with and without friction.
local W = require "tests.random.writer"

local K = {}

local function body_point(r, world, i)
  local x, y = r:number(-1, 1) + 1.5 * (i - 1), r:number(0.2, 1)
  local vx, vy = r:number(-2, 2), r:number(-2, 1)
  local mass, parametric, by_hand = r:number(0.2, 3), r:chance(0.4), r:chance(0.4)
  local turns = r:chance(0.6)
  local inertia, angle, spin = r:number(0.02, 0.3), r:number(-1, 1), r:number(-3, 3)
  local b = { name = "b" .. i, coordinates = {}, turns = turns, still = false }
  b.coordinates = { { "x" .. i, -1, 1, x }, { "y" .. i, 1, 1, y }, turns and { "a" .. i, -1, 0, angle } or nil }
  function b.at(dx, dy)
    if not turns then return x + dx, y + dy end
    return x + math.cos(angle) * dx - math.sin(angle) * dy, y + math.sin(angle) * dx + math.cos(angle) * dy
  end
  b.omega = spin
  b.part = { needs = {}, write = function(w)
    local still = b.still and 0 or 1
    local X, Y = w:coordinate("x" .. i, -1, 1, x, vx * still), w:coordinate("y" .. i, 1, 1, y, vy * still)
    local A = turns and w:coordinate("a" .. i, -1, 0, angle, (b.driven or still ~= 0) and spin or 0)
    local M = w:value(parametric, mass, 0, 1)
    local J = turns and w:value(parametric, inertia, 2, 1)
    local name = w:name(b.name)
    local T = ("%s/2*(%s.dot^2 + %s.dot^2)"):format(M, X, Y) .. (turns and (" + %s/2*%s.dot^2"):format(J, A) or "")
    local V = ("%s*(%s*%s + %s*%s)"):format(M, w:num(-w.sx * world.gx, 1, 0, -2), X, w:num(-world.gy, 1, 0, -2), Y)
    if by_hand then
      w:say("m:kinetic_energy(%s)", T)
      w:say("m:potential_energy(%s)", V)
      w:say("local %s = { at = { %s, %s }, angle = %s, point = function(_, u, v)", name, X, Y, A or "0")
      if turns then
        w:say("  return { %s + carom.cos(%s)*u - carom.sin(%s)*v, %s + carom.sin(%s)*u + carom.cos(%s)*v } end }", X, A, A, Y, A, A)
      else
        w:say("  return { %s + u, %s + v } end }", X, Y)
      end
    elseif turns then
      w:say('local %s = m:body("%s", { mass = %s, inertia = %s, at = { %s, %s }, angle = %s })', name, name, M, J, X, Y, A)
    else
      w:say('local %s = m:body("%s", { mass = %s, at = { %s, %s } })', name, name, M, X, Y)
    end
    table.insert(w.kinetic, T)
    table.insert(w.potential, V)
    if world.free then
      w.guided = w.guided or not turns
      local gx, gy = w:num(w.sx * world.gx, 1, 0, -2), w:num(world.gy, 1, 0, -2)
      table.insert(w.momentum[1], ("%s*%s.dot"):format(M, X))
      table.insert(w.momentum[2], ("%s*%s.dot"):format(M, Y))
      table.insert(w.weight[1], ("%s*%s"):format(M, gx))
      table.insert(w.weight[2], ("%s*%s"):format(M, gy))
      table.insert(w.spin[3], ("%s*(%s*%s.dot - %s*%s.dot)"):format(M, X, Y, Y, X) .. (turns and (" + %s*%s.dot"):format(J, A) or ""))
      table.insert(w.torque[3], ("%s*(%s*%s - %s*%s)"):format(M, X, gy, Y, gx))
    end
  end }
  b.real = not by_hand -- shapes need a body of the language
  return b
end

-- a body on an arm that turns about a point of space or about the end of another arm
local function body_pendulum(r, world, i, above)
  local length, phi, rate = r:number(0.3, 1), r:number(-1.2, 1.2), r:number(-2, 2)
  local mass, inertia, parametric = r:number(0.2, 3), r:number(0.01, 0.1), r:chance(0.4)
  local px, py = r:number(-1, 1), r:number(0.5, 1.5)
  local ex, ey
  if above then px, py = above.ex, above.ey end
  ex, ey = px + length * math.sin(phi), py - length * math.cos(phi)
  local b = { name = "b" .. i, ex = ex, ey = ey, coordinates = { { "f" .. i, -1, 0, phi } }, real = true, turns = true, fixed = true }
  function b.at(dx, dy)
    local cx, cy = px + length / 2 * math.sin(phi), py - length / 2 * math.cos(phi)
    return cx + math.cos(phi) * dx - math.sin(phi) * dy, cy + math.sin(phi) * dx + math.cos(phi) * dy
  end
  b.omega = rate
  b.part = { needs = { above and above.part }, write = function(w)
    local F = w:coordinate("f" .. i, -1, 0, phi, (b.driven or not b.still) and rate or 0)
    local name, M, J = w:name(b.name), w:value(parametric, mass, 0, 1), w:value(parametric, inertia, 2, 1)
    local l = w:value(parametric, length, 1)
    local X, Y = w:num(w.sx * px, 1), w:num(py, 1)
    if above then X, Y = w:name(above.name) .. "_end[1]", w:name(above.name) .. "_end[2]" end
    w:say('local %s = m:body("%s", { mass = %s, inertia = %s, angle = %s,', name, name, M, J, F)
    w:say("  at = { %s + %s/2*carom.sin(%s), %s - %s/2*carom.cos(%s) } })", X, l, F, Y, l, F)
    w:say("local %s_end = { %s + %s*carom.sin(%s), %s - %s*carom.cos(%s) }", name, X, l, F, Y, l, F)
    table.insert(w.kinetic, ("%s/2*(%s.at[1].dot^2 + %s.at[2].dot^2) + %s/2*%s.dot^2"):format(M, name, name, J, F))
    table.insert(w.potential, ("%s*(%s*%s.at[1] + %s*%s.at[2])"):format(M, w:num(-w.sx * world.gx, 1, 0, -2), name,
      w:num(-world.gy, 1, 0, -2), name))
  end }
  return b
end

-- a point on a curve y = f(s), its energies written by hand
local function body_bead(r, world, i)
  local s0, rate, mass, bend, wave = r:number(-1, 1), r:number(-2, 2), r:number(0.2, 3), r:number(-0.5, 0.8), r:number(1, 3)
  local kind = r:pick { "line", "parabola", "wave" }
  local function height(s)
    return kind == "line" and bend * s or kind == "parabola" and bend * s * s or bend * math.cos(wave * s)
  end
  local b = { name = "b" .. i, coordinates = { { "s" .. i, -1, 1, s0 } }, fixed = true }
  function b.at() return s0, height(s0) end
  b.part = { needs = {}, write = function(w)
    local S, name = w:coordinate("s" .. i, -1, 1, s0, b.still and 0 or rate), w:name(b.name)
    local M = w:num(mass, 0, 1)
    local y = kind == "line" and ("%s*%s"):format(w:num(bend * w.sx), S)
      or kind == "parabola" and ("%s*%s^2"):format(w:num(bend, -1), S)
      or ("%s*carom.cos(%s*%s)"):format(w:num(bend, 1), w:num(wave, -1), S)
    w:say("local %s = { at = { %s, %s } }", name, S, y)
    w:say("%s.point = function() return %s.at end", name, name)
    local T = ("%s/2*(%s.at[1].dot^2 + %s.at[2].dot^2)"):format(M, name, name)
    local V = ("%s*(%s*%s.at[1] + %s*%s.at[2])"):format(M, w:num(-w.sx * world.gx, 1, 0, -2), name, w:num(-world.gy, 1, 0, -2), name)
    w:say("m:kinetic_energy(%s)", T)
    w:say("m:potential_energy(%s)", V)
    table.insert(w.kinetic, T)
    table.insert(w.potential, V)
  end }
  return b
end

local function place(r) return r:number(-0.3, 0.3), r:number(-0.3, 0.3) end

local function point(w, b, dx, dy) return ("%s:point(%s, %s)"):format(w:name(b.name), w:num(w.sx * dx, 1), w:num(dy, 1)) end

local function spring(r, bodies, k, free)
  local a, b = r:pick(bodies), (r:chance(0.5) or free) and r:pick(bodies) or nil
  if b == a then b = nil end
  if free and not b then return end
  local ax, ay, bx, by = r:number(-0.3, 0.3), r:number(-0.3, 0.3), place(r)
  if not b then bx, by = r:number(-2, 2), r:number(2, 3) end
  local p1x, p1y = a.at(ax, ay)
  local p2x, p2y = bx, by
  if b then p2x, p2y = b.at(bx, by) end
  local distance = math.sqrt((p1x - p2x) ^ 2 + (p1y - p2y) ^ 2)
  local stiffness, damping, parametric = r:number(5, 200), r:chance(0.4) and r:number(0.1, 3), r:chance(0.4)
  local rest = distance > 0.5 and r:chance(0.6) and r:number(0.2, 1) or 0
  damping = distance > 0.5 and damping
  return { needs = { a.part, b and b.part }, write = function(w)
    local P, Q = point(w, a, ax, ay), b and point(w, b, bx, by) or ("{ %s, %s }"):format(w:num(w.sx * bx, 1), w:num(by, 1))
    local c, l = w:value(parametric, stiffness, 0, 1, -2), w:value(parametric and rest ~= 0, rest, 1)
    local name = w:name("k" .. k)
    w:say("local %s_p, %s_q = %s, %s", name, name, P, Q)
    w:say('m:spring("%s", { between = { %s_p, %s_q }, stiffness = %s, rest = %s })', name, name, name, c, l)
    local length = ("carom.sqrt((%s_p[1] - %s_q[1])^2 + (%s_p[2] - %s_q[2])^2)"):format(name, name, name, name)
    table.insert(w.potential, ("%s/2*(%s - %s)^2"):format(c, length, l))
    if damping then
      local d = w:num(damping, 0, 1, -1)
      w:say("m:damper { between = { %s_p, %s_q }, damping = %s }", name, name, d)
      table.insert(w.rayleigh, ("%s/2*(%s).dot^2"):format(d, length))
    end
  end }
end

local function load(r, bodies)
  local b = r:pick(bodies)
  local c = r:pick(b.coordinates)
  local kind, size, rate = r:pick { "quartic", "cosine", "dissipation", "force", "point", "friction" }, r:number(0.5, 5), r:number(2, 9)
  local dx, dy = place(r)
  return { needs = { b.part }, write = function(w)
    local q = w:name(c[1])
    local l = c[3]
    if kind == "quartic" then
      local V = ("%s*%s^4"):format(w:num(size, 2 - 4 * l, 1, -2), q)
      w:say("m:potential_energy(%s)", V)
      table.insert(w.potential, V)
    elseif kind == "cosine" then
      local V = ("%s*carom.cos(%s*%s)"):format(w:num(size, 2, 1, -2), w:num(rate, -l), q)
      w:say("m:potential_energy(%s)", V)
      table.insert(w.potential, V)
    elseif kind == "dissipation" then
      local R = ("%s*%s.dot^2"):format(w:num(size / 5, 2 - 2 * l, 1, -1), q)
      w:say("m:dissipation(%s)", R)
      table.insert(w.rayleigh, R)
    elseif kind == "force" then
      local s = w.style.mirror and c[2] or 1
      local F = ("%s*carom.sin(%s*%s)"):format(w:num(s * size, 2 - l, 1, -2), w:num(rate, 0, 0, -1), w:time())
      w:say("m:force(%s, %s)", q, F)
      table.insert(w.power, ("%s*%s.dot"):format(F, q))
    elseif kind == "friction" then -- against the square of the speed
      w.kinked = true
      local F = ("%s*%s.dot*carom.abs(%s.dot)"):format(w:num(-size / 10, 2 - 3 * l, 1, 0), q, q)
      w:say("m:force(%s, %s)", q, F)
      table.insert(w.rayleigh, ("%s*carom.abs(%s.dot)^3"):format(w:num(size / 30, 2 - 3 * l, 1, 0), q))
    else
      local P, fx, fy = point(w, b, dx, dy), w:num(w.sx * size, 1, 1, -2), w:num(rate / 3, 1, 1, -2)
      w:say("m:force { at = %s, value = { %s, %s } }", P, fx, fy)
      table.insert(w.power, ("%s*%s[1].dot + %s*%s[2].dot"):format(fx, P, fy, P))
    end
  end }
end

local function law(r, rough)
  return { e = r:pick { 0, 0.5, 0.8, 1, r:number(0, 1) }, mu = r:chance(0.55) and rough and r:pick { 0.1, 0.3, 0.6, r:number(0, 1) } or nil,
    et = r:chance(0.15) and r:number(0, 1) or nil, parametric = r:chance(0.3) }
end

local function law_text(w, l, slide)
  table.insert(w.laws, { e = l.e, mu = slide and l.mu or 0, et = slide and l.mu and l.et or 0 })
  local t = { "restitution = " .. w:value(l.parametric, l.e) }
  if l.mu and slide then
    t[#t + 1] = "friction = " .. w:value(l.parametric, l.mu)
    if slide ~= "made" then t[#t + 1] = slide end
    if l.et then t[#t + 1] = "tangential_restitution = " .. w:num(l.et) end
  end
  return table.concat(t, ", ")
end

local function start_gap(r) return r:pick { 0, 0.01, 0.05, r:number(0.02, 0.4) } end

local function contact(r, bodies, k, rough)
  local b = r:pick(bodies)
  local dx, dy = place(r)
  local x, y = b.at(dx, dy)
  local gap, l = start_gap(r), law(r, rough)
  local kind = r:pick { "line", "line", "circle", "limit", "shape", "shape" }
  local n = r:pick { { 0, 1 }, { 0.6, 0.8 }, { -0.8, 0.6 }, { 1, 0 }, { -1, 0 } }
  local radius = r:number(0.1, 0.3)
  if kind == "shape" and not b.real then kind = "line" end
  local name = "c" .. k
  if kind == "limit" then
    local c = r:pick(b.coordinates)
    return { needs = { b.part }, write = function(w)
      local s = w.style.mirror and c[2] or 1
      w.mixed = w.mixed or c[3] ~= 1
      w:quantity(w:name(name), 1, 2 - c[3], 1, -1) -- an impulse: energy over the rate of the coordinate
      w:say('m:contact("%s", { gap = %s%s + %s, %s })', w:name(name), s < 0 and "-" or "", w:name(c[1]), w:num(gap - c[4], c[3]),
        law_text(w, l))
    end }
  end
  return { needs = { b.part }, write = function(w)
    local full, P = w:name(name), point(w, b, dx, dy)
    if kind == "shape" and radius > 0 then
      w:quantity(full, 1, 1, 1, -1)
      local cx, cy = b.at(0, 0)
      local how = law_text(w, l, "made")
      w:say('m:contact_between(m:disk("%s_d", { radius = %s, body = %s }), m:plane("%s_p", { at = { %s, %s }, normal = { %s, %s } }),',
        full, w:num(radius, 1), w:name(b.name), full, w:num(w.sx * (cx - (gap + radius) * n[1]), 1), w:num(cy - (gap + radius) * n[2], 1),
        W.text(w.sx * n[1]), W.text(n[2]))
      w:say('  { name = "%s", %s })', full, how)
    elseif kind == "circle" then -- inside a circle, whose slip is no rate of a displacement
      local R = 1.5
      local ox, oy = x + (R - gap) * n[1], y + (R - gap) * n[2]
      local u, v = ("%s_p[1] - %s"):format(full, w:num(w.sx * ox, 1)), ("%s_p[2] - %s"):format(full, w:num(oy, 1))
      w:quantity(full, 1, 1, 1, -1)
      w:say("local %s_p = %s", full, P)
      w:say("local %s_r = carom.sqrt((%s)^2 + (%s)^2)", full, u, v)
      local slip = ("slip = ((%s)*%s_p[2].dot - (%s)*%s_p[1].dot)/%s_r"):format(u, full, v, full, full)
      w:say('m:contact("%s", { gap = %s - %s_r, %s })', full, w:num(R, 1), full, law_text(w, l, slip))
    else
      local nx, ny = w.sx * n[1], n[2]
      local px, py = x - gap * n[1], y - gap * n[2]
      w:quantity(full, 1, 1, 1, -1)
      w:say("local %s_p = %s", full, P)
      local slide = ("slide = %s*%s_p[1] - %s*%s_p[2]"):format(W.text(ny), full, W.text(nx), full)
      w:say('m:contact("%s", { gap = %s*(%s_p[1] - %s) + %s*(%s_p[2] - %s), %s })', full, W.text(nx), full, w:num(w.sx * px, 1),
        W.text(ny), full, w:num(py, 1), law_text(w, l, slide))
    end
  end }
end

-- two disks that meet
local function pair(r, bodies, k, rough)
  local list = {}
  for _, b in ipairs(bodies) do if b.real then list[#list + 1] = b end end
  if #list < 2 then return end
  local a = table.remove(list, r:integer(1, #list))
  local b, l = r:pick(list), law(r, rough)
  local ax, ay = a.at(0, 0)
  local bx, by = b.at(0, 0)
  local distance = math.sqrt((ax - bx) ^ 2 + (ay - by) ^ 2)
  if distance < 0.2 then return end
  local first = (distance - math.min(0.3 * distance, start_gap(r))) * r:number(0.3, 0.7)
  local second = distance - first - r:pick { 0.01, 0.05, 0.1 }
  if first < 0.05 or second < 0.05 then return end
  return { needs = { a.part, b.part }, write = function(w)
    local full, how = w:name("d" .. k), law_text(w, l, "made")
    w:quantity(full, 1, 1, 1, -1)
    w:say('m:contact_between(m:disk("%s_a", { radius = %s, body = %s }), m:disk("%s_b", { radius = %s, body = %s }),', full,
      w:num(first, 1), w:name(a.name), full, w:num(second, 1), w:name(b.name))
    w:say('  { name = "%s", %s })', full, how)
  end }
end

-- a rod keeps the distance of two points; a drive turns a body steadily
local function constraint(r, bodies, k, free)
  local a = r:pick(bodies)
  local function freedom(x) return #x.coordinates - (x.held or 0) end
  if r:chance(0.25) and not free and a.turns and not a.driven and not a.still and freedom(a) > 1 then
    local c = a.coordinates[#a.coordinates]
    a.driven, a.held = true, 1
    return { needs = { a.part }, write = function(w)
      w.driven = true
      local q, s = w:name(c[1]), w.sx
      local start = ("%s + %s*(%s)"):format(w:num(s * c[4]), w:num(s * a.omega * (1 + 0.125 * (w.style.vary or 0)),
        0, 0, -1), w:time())
      w:say('m:constraint("%s", { zero = %s - (%s) })', w:name("r" .. k), q, start)
    end }
  end
  local b = (r:chance(0.5) or free) and r:pick(bodies) or nil
  if b == a or b and b.driven or a.driven then return end
  local loser = b and freedom(b) > freedom(a) and b or a -- nothing is locked
  if freedom(a) + (b and freedom(b) or 0) < 2 then return end
  local ax, ay, bx, by = r:number(-0.3, 0.3), r:number(-0.3, 0.3), place(r)
  if not b then bx, by = r:number(-2, 2), r:number(2, 3) end
  local p1x, p1y = a.at(ax, ay)
  local p2x, p2y = bx, by
  if b then p2x, p2y = b.at(bx, by) end
  local square = (p1x - p2x) ^ 2 + (p1y - p2y) ^ 2
  if square < 0.1 then return end
  a.still, loser.held = true, (loser.held or 0) + 1
  if b then b.still = true end
  return { needs = { a.part, b and b.part }, write = function(w)
    local P, Q = point(w, a, ax, ay), b and point(w, b, bx, by) or ("{ %s, %s }"):format(w:num(w.sx * bx, 1), w:num(by, 1))
    local name = w:name("r" .. k)
    w:say("local %s_p, %s_q = %s, %s", name, name, P, Q)
    w:say('m:constraint("%s", { zero = ((%s_p[1] - %s_q[1])^2 + (%s_p[2] - %s_q[2])^2 - %s)/%s })', name, name, name, name, name,
      w:num(square, 2), w:num(2 * math.sqrt(square), 1))
  end }
end

--- Parts of a random mechanism. limits.rough: contacts may have friction; free: nothing holds on to the ground.
function K.make(r, limits)
  local free = limits.free
  local world = { free = free, gx = r:chance(0.3) and r:number(-3, 3) or 0,
    gy = r:chance(0.85) and r:pick { -9.81, -9.81, r:number(-10, 2) } or 0 }
  local parts, bodies = {}, {}
  local function add(part)
    if part then parts[#parts + 1] = part end
  end
  parts[1] = { once = true, write = function(w)
    w:say("m:gravity(%s, %s)", w:num(w.sx * world.gx, 1, 0, -2), w:num(world.gy, 1, 0, -2))
  end }
  local above
  for i = 1, r:integer(free and 2 or 1, 3) do
    local kind = free and "point" or r:pick { "point", "point", "pendulum", "bead" }
    local b = kind == "point" and body_point(r, world, i) or kind == "bead" and body_bead(r, world, i)
      or body_pendulum(r, world, i, r:chance(0.6) and above or nil)
    if kind == "pendulum" then above = b end
    bodies[i] = b
    table.insert(b.part.needs, parts[1])
    parts[#parts + 1] = b.part
  end
  for k = 1, r:integer(0, 2) do add(spring(r, bodies, k, free)) end
  for _ = 1, free and 0 or r:integer(0, 2) do add(load(r, bodies)) end
  for k = 1, r:chance(0.3) and r:integer(1, 2) or 0 do add(constraint(r, bodies, k, free)) end
  for k = 1, free and 0 or r:integer(0, 3) do add(contact(r, bodies, k, limits.rough)) end
  local pairs_wanted = free and r:integer(1, 2) or r:chance(0.3) and 1 or 0
  for k = 1, pairs_wanted do add(pair(r, bodies, k, limits.rough)) end
  return parts
end

return K
