-- Random mechanisms in space: trees of links with all kinds of joints, free bodies with joints, spheres, boxes and capsules on
-- planes; springs and torques. The mirror image is x -> -x: vectors change the sign of x, axes of rotation those of y and z.
local W = require "tests.random.writer"

local K = {}

local function vector(w, v, l) return ("{ %s, %s, %s }"):format(w:num(w.sx * v[1], l), w:num(v[2], l), w:num(v[3], l)) end
local function axial(w, v, t)
  return ("{ %s, %s, %s }"):format(w:num(v[1], 0, 0, t), w:num(w.sx * v[2], 0, 0, t), w:num(w.sx * v[3], 0, 0, t))
end

local function random_vector(r, size) return { r:number(-size, size), r:number(-size, size), r:number(-size, size) } end
local function direction(r)
  if r:chance(0.6) then return r:pick { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } end
  return { r:number(0.2, 1), r:number(-1, 1), r:number(-1, 1) }
end
local function moments(r)
  local a, b = r:number(0.02, 0.2), r:number(0.02, 0.2)
  return { a, b, tonumber(("%.3g"):format(math.abs(a - b) + r:number(0.1, 0.9) * 2 * math.min(a, b))) } -- such as a body can have
end

K.vector, K.axial, K.random_vector, K.direction, K.moments = vector, axial, random_vector, direction, moments

local function law(r, rough)
  return { e = r:pick { 0, 0.5, 1, r:number(0, 1) }, mu = rough and r:chance(0.5) and r:pick { 0.2, 0.5, r:number(0, 1) } or nil }
end
local function law_text(w, l)
  table.insert(w.laws, { e = l.e, mu = l.mu or 0, et = 0 })
  return "restitution = " .. W.text(l.e) .. (l.mu and ", friction = " .. W.text(l.mu) or "")
end

local function energies(w, world, name, M, I, place)
  table.insert(w.kinetic, ("%s/2*(%s[1].dot^2 + %s[2].dot^2 + %s[3].dot^2)"
    .. " + (%s*%s.spin[1]^2 + %s*%s.spin[2]^2 + %s*%s.spin[3]^2)/2"):format(M, place, place, place, I[1], name, I[2], name, I[3], name))
  table.insert(w.potential, ("%s*%s*%s[3]"):format(M, w:num(-world.g, 1, 0, -2), place))
end

--- What is known about the coordinates of a free body.
function K.free_quantities(w, name)
  for k, x in ipairs { "x", "y", "z" } do
    w:quantity(name .. "_" .. x, k == 1 and -1 or 1, 1)
    w:quantity(name .. "_w" .. x, k == 1 and 1 or -1, 0)
    w:quantity(name .. "_q" .. x, k == 1 and 1 or -1, 0)
  end
  w:quantity(name .. "_qw", 1, 0)
  w.angles = true
end

--- Momentum and its moment about the origin, weight and its moment.
function K.momenta(w, world, name, M, I)
  local g = w:num(world.g, 1, 0, -2)
  local at = {}
  for k = 1, 3 do at[k] = ("%s.at[%d]"):format(name, k) end
  for k = 1, 3 do
    table.insert(w.momentum[k], ("%s*%s.dot"):format(M, at[k]))
    table.insert(w.weight[k], k == 3 and ("%s*%s"):format(M, g) or "0")
    local a, b = at[k % 3 + 1], at[(k + 1) % 3 + 1]
    local own = {}
    for j = 1, 3 do -- the axes of the body in space, times its moments about them
      own[j] = ("%s*%s.spin[%d]*(%s:point(%s)[%d] - %s)/%s"):format(I[j], name, j, name,
        table.concat({ j == 1 and w:num(1, 1) or "0", j == 2 and w:num(1, 1) or "0", j == 3 and w:num(1, 1) or "0" }, ", "), k, at[k],
        w:num(1, 1))
    end
    table.insert(w.spin[k], ("%s*(%s*%s.dot - %s*%s.dot) + %s"):format(M, a, b, b, a, table.concat(own, " + ")))
    table.insert(w.torque[k], k == 1 and ("%s*%s*%s"):format(M, g, at[2]) or k == 2 and ("(-1)*%s*%s*%s"):format(M, g, at[1]) or "0")
  end
end

K.energies = energies

-- joints of links: dimension of each coordinate and its sign in the mirror, and whether the axis is one of rotation
local JOINTS = {
  revolute = { { 0, 1 }, axial = true }, prismatic = { { 1, 1 } }, cylindrical = { { 1, 1 }, { 0, -1 } },
  universal = { { 0, 1 }, { 0, 1 }, axial = true }, spherical = { { 0, 1 }, { 0, -1 }, { 0, -1 }, axial = true },
}

local function link(r, world, i, parent)
  local joint = r:pick { "revolute", "revolute", "revolute", "prismatic", "cylindrical", "universal", "spherical" }
  local kind, axis, at, center = JOINTS[joint], direction(r), random_vector(r, 0.5), random_vector(r, 0.4)
  if joint == "spherical" then axis = nil end
  local axis2 = axis and { -axis[3], axis[1] + 0.1, axis[2] }
  local mass, inertia, turned = r:number(0.2, 2), moments(r), r:chance(0.3) and { direction(r), r:number(-1, 1) }
  local start, rate, limits = {}, {}, #kind == 1 and r:chance(0.4) and r:number(0.01, 0.4)
  local e, parametric = r:pick { 0, 0.5, 1 }, r:chance(0.3)
  for k, c in ipairs(kind) do start[k], rate[k] = r:number(-0.5, 0.5), r:number(-2, 2) * (c[1] == 1 and 0.5 or 1) end
  local b = { name = "l" .. i, coordinates = {} }
  b.part = { needs = { parent and parent.part }, write = function(w)
    local name, q, v = w:name(b.name), {}, {}
    local faster = 1 + 0.125 * (w.style.vary or 0)
    for k, c in ipairs(kind) do
      local s = w.style.mirror and c[2] or 1
      q[k], v[k] = w:num(s * start[k], c[1]), w:num(s * rate[k] * faster, c[1], 0, -1)
      w:quantity(#kind == 1 and name or name .. "_" .. k, c[2], c[1])
      w.angles = true
    end
    local M, I = w:value(parametric, mass, 0, 1), {}
    for k = 1, 3 do I[k] = w:value(parametric, inertia[k], 2, 1) end
    local list = { ('joint = "%s"'):format(joint), "at = " .. vector(w, at, 1), "mass = " .. M,
      "inertia = { " .. table.concat(I, ", ") .. " }",
      "center = " .. vector(w, center, 1), "initial = " .. (#q == 1 and q[1] or "{ " .. table.concat(q, ", ") .. " }"),
      "velocity = " .. (#v == 1 and v[1] or "{ " .. table.concat(v, ", ") .. " }") }
    if parent then list[#list + 1] = "parent = " .. w:name(parent.name) end
    if axis then list[#list + 1] = "axis = " .. (kind.axial and axial or vector)(w, axis) end
    if joint == "universal" then list[#list + 1] = "axis2 = " .. axial(w, axis2) end
    if turned then list[#list + 1] = ("rotation = { axis = %s, angle = %s }"):format(axial(w, turned[1]), W.text(turned[2])) end
    if limits then
      list[#list + 1] = ("limits = { %s, %s }, restitution = %s"):format(w:num(start[1] - limits, kind[1][1]),
        w:num(start[1] + limits, kind[1][1]), W.text(e))
      for _, side in ipairs { "_low", "_high" } do w:quantity(name .. side, 1, 2 - kind[1][1], 1, -1) end
      w.mixed = w.mixed or kind[1][1] ~= 1
      table.insert(w.laws, { e = e, mu = 0, et = 0 })
    end
    w:say('local %s = m:link("%s", { %s })', name, name, table.concat(list, ", "))
    w:say("local %s_c = %s:point(%s, %s, %s)", name, name, w:num(w.sx * center[1], 1), w:num(center[2], 1), w:num(center[3], 1))
    energies(w, world, name, M, I, name .. "_c")
  end }
  return b
end

local function free_body(r, world, i, limits)
  local mass, inertia, at = r:number(0.2, 2), moments(r), { r:number(-1, 1) + 2 * i, r:number(-1, 1), r:number(0.5, 1) }
  local axis, angle = direction(r), r:number(-2, 2)
  local velocity, spin = random_vector(r, 1.5), random_vector(r, 4)
  local b = { name = "b" .. i, at = at, free = true, still = false }
  b.part = { needs = {}, write = function(w)
    local name, faster = w:name(b.name), b.still and 0 or 1 + 0.125 * (w.style.vary or 0)
    local M, I = w:num(mass, 0, 1), {}
    for k = 1, 3 do I[k] = w:num(inertia[k], 2, 1) end
    K.free_quantities(w, name)
    w:say('local %s = m:free_body("%s", { mass = %s, inertia = { %s }, at = %s,', name, name, M, table.concat(I, ", "), vector(w, at, 1))
    w:say("  orientation = { axis = %s, angle = %s },", axial(w, axis), W.text(angle))
    w:say("  velocity = { %s, %s, %s }, spin = %s })", w:num(w.sx * velocity[1] * faster, 1, 0, -1), w:num(velocity[2] * faster, 1, 0, -1),
      w:num(velocity[3] * faster, 1, 0, -1), axial(w, { spin[1] * faster, spin[2] * faster, spin[3] * faster }, -1))
    energies(w, world, name, M, I, name .. ".at")
  end }
  local parts = { b.part }
  if r:chance(0.7) then -- a shape over a plane
    local l, size, gap = law(r, limits.rough), r:number(0.1, 0.3), r:pick { 0, 0.02, 0.1 }
    local shape, normal = r:pick { "sphere", "box", "capsule" }, r:pick { { 0, 0, 1 }, { 0.6, 0, 0.8 }, { -0.8, 0, 0.6 } }
    local reach = shape == "sphere" and size or shape == "box" and size or 1.5 * size -- no point of the shape is farther away
    parts[2] = { needs = { b.part }, write = function(w)
      local name, full = w:name(b.name), w:name("c" .. i)
      local text = shape == "sphere" and ('m:sphere("%s_s", { radius = %s, body = %s })'):format(full, w:num(size, 1), name)
        or shape == "box" and ('m:box("%s_s", { size = { %s, %s, %s }, body = %s, corners = { 1, 2, 7 } })'):format(full, w:num(size, 1),
          w:num(1.2 * size, 1), w:num(0.9 * size, 1), name)
        or ('m:capsule("%s_s", { radius = %s, length = %s, axis = { 0, 0, 1 }, body = %s })'):format(full, w:num(size / 2, 1),
          w:num(size, 1), name)
      w:quantity(full, 1, 1, 1, -1)
      for corner = 1, 8 do w:quantity(full .. "_" .. corner, 1, 1, 1, -1) end -- ends of capsules and cylinders, corners of boxes
      if shape == "box" and w.style.mirror then w.no_mirror = true end -- its corners have other numbers there
      w:say('m:contact_between(%s, m:plane("%s_p", { at = { %s, %s, %s }, normal = { %s, %s, %s } }), { name = "%s", %s })', text, full,
        w:num(w.sx * (at[1] - (gap + reach) * normal[1]), 1), w:num(at[2], 1), w:num(at[3] - (gap + reach) * normal[3], 1),
        W.text(w.sx * normal[1]), W.text(normal[2]), W.text(normal[3]), full, law_text(w, l))
    end }
  end
  return b, parts
end

local function spring(r, bodies, k)
  local b, on, anchor = r:pick(bodies), random_vector(r, 0.3), { r:number(-2, 2), r:number(-2, 2), r:number(2, 3) }
  local stiffness, damping = r:number(5, 60), r:chance(0.4) and r:number(0.1, 1)
  return { needs = { b.part }, write = function(w)
    local name = w:name("k" .. k)
    w:say("local %s_p, %s_q = %s:point(%s, %s, %s), %s", name, name, w:name(b.name), w:num(w.sx * on[1], 1), w:num(on[2], 1),
      w:num(on[3], 1), vector(w, anchor, 1))
    local k_text, square = w:num(stiffness, 0, 1, -2), {}
    for i = 1, 3 do square[i] = ("(%s_p[%d] - %s_q[%d])^2"):format(name, i, name, i) end
    local length = "carom.sqrt(" .. table.concat(square, " + ") .. ")"
    w:say("m:spring { between = { %s_p, %s_q }, stiffness = %s, rest = %s }", name, name, k_text, w:num(1.5, 1))
    table.insert(w.potential, ("%s/2*(%s - %s)^2"):format(k_text, length, w:num(1.5, 1)))
    if damping then
      local d = w:num(damping, 0, 1, -1)
      w:say("m:damper { between = { %s_p, %s_q }, damping = %s }", name, name, d)
      table.insert(w.rayleigh, ("%s/2*(%s).dot^2"):format(d, length))
    end
  end }
end

local function joint(r, bodies, k)
  local list = {}
  for _, b in ipairs(bodies) do if b.free then list[#list + 1] = b end end
  if #list == 0 then return end
  local b, kind = r:pick(list), r:pick { "spherical", "revolute", "cylindrical", "planar" }
  local at, axis = random_vector(r, 0.4), direction(r)
  b.still = true
  return { needs = { b.part }, write = function(w)
    w:say('m:joint("%s", { type = "%s", body = %s, at = %s%s })', w:name("j" .. k), kind, w:name(b.name), vector(w, at, 1),
      kind ~= "spherical" and ", axis = " .. vector(w, axis) or "")
  end }
end

--- Parts of a random mechanism in space.
function K.make(r, limits)
  local world = { g = r:chance(0.85) and -9.81 or 0 }
  local parts, bodies = {}, {}
  parts[1] = { once = true, write = function(w) w:say("m:gravity(0, 0, %s)", w:num(world.g, 1, 0, -2)) end }
  local function add(part)
    if part then parts[#parts + 1] = part end
  end
  if r:chance(0.6) then
    local parent
    for i = 1, r:integer(1, 3) do
      local b = link(r, world, i, i > 1 and r:chance(0.8) and parent or nil)
      table.insert(b.part.needs, parts[1])
      bodies[#bodies + 1], parent = b, b
      add(b.part)
    end
  end
  if #bodies == 0 or r:chance(0.2) then
    for i = 1, r:integer(1, 2) do
      local b, own = free_body(r, world, i, limits)
      table.insert(b.part.needs, parts[1])
      bodies[#bodies + 1] = b
      for _, part in ipairs(own) do add(part) end
    end
    if r:chance(0.3) then add(joint(r, bodies, 1)) end
  end
  for k = 1, r:integer(0, 2) do add(spring(r, bodies, k)) end
  return parts
end

return K
