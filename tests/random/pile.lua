-- Random piles of a few bodies: spheres, boxes and capsules that fall on planes and on each other, or meet where nothing else is.
-- The planes contain the direction y: copies stand far apart along it.
local W = require "tests.random.writer"
local space = require "tests.random.space"

local K = {}

local FAR = 64

local function body(r, world, i, place, shape, scale)
  local size, mass, velocity, spin = scale * r:number(0.75, 1), r:number(0.2, 2), space.random_vector(r, 1), space.random_vector(r, 4)
  for k = 1, 3 do velocity[k] = velocity[k] + world.towards * (world.middle[k] - place[k]) end
  local axis, angle = space.direction(r), r:number(-2, 2)
  local inertia = space.moments(r)
  if shape == "sphere" and r:chance(0.5) then inertia[2], inertia[3] = inertia[1], inertia[1] end -- alike in all directions
  local b = { name = "b" .. i }
  b.part = { write = function(w)
    local copy = (w.style.vary or 0)
    local faster = 1 + 0.125 * copy
    local name, M, I = w:name(b.name), w:num(mass, 0, 1), {}
    for k = 1, 3 do I[k] = w:num(inertia[k], 2, 1) end
    space.free_quantities(w, name)
    w.shift = copy > 0
    w:say('local %s = m:free_body("%s", { mass = %s, inertia = { %s }, at = %s,', name, name, M, table.concat(I, ", "),
      space.vector(w, { place[1], place[2] + FAR * copy, place[3] }, 1))
    w:say("  orientation = { axis = %s, angle = %s },", space.axial(w, axis), W.text(angle))
    w:say("  velocity = { %s, %s, %s }, spin = %s })", w:num(w.sx * velocity[1] * faster, 1, 0, -1), w:num(velocity[2] * faster, 1, 0, -1),
      w:num(velocity[3] * faster, 1, 0, -1), space.axial(w, { spin[1] * faster, spin[2] * faster, spin[3] * faster }, -1))
    local text
    if shape == "sphere" then
      text = ('m:sphere("%s_s", { radius = %s, body = %s })'):format(name, w:num(size, 1), name)
    elseif shape == "box" then
      text = ('m:box("%s_s", { size = { %s, %s, %s }, body = %s })'):format(name, w:num(1.5 * size, 1), w:num(1.2 * size, 1),
        w:num(0.9 * size, 1), name)
    else -- along the body's z: its mirror image is itself
      text = ('m:capsule("%s_s", { radius = %s, length = %s, axis = { 0, 0, 1 }, body = %s })'):format(name, w:num(size / 2, 1),
        w:num(size, 1), name)
    end
    w:say("local %s_s = %s", name, text)
    table.insert(w.shapes, { name .. "_s", copy = copy, kind = shape })
    space.energies(w, world, name, M, I, name .. ".at")
    if world.free then space.momenta(w, world, name, M, I) end
  end }
  return b
end

local function plane(i, at, normal)
  return { once = true, write = function(w)
    w:say('local p%d = m:plane("p%d", { at = { %s, 0, %s }, normal = { %s, 0, %s } })', i, i, w:num(w.sx * at[1], 1), w:num(at[3], 1),
      W.text(w.sx * normal[1]), W.text(normal[3]))
    table.insert(w.shapes, { "p" .. i, kind = "plane" })
  end }
end

-- pairs that contact_between has as well, with the same contact points
local PAIRWISE = { ["sphere sphere"] = true, ["sphere plane"] = true, ["plane sphere"] = true }

--- Parts of a random pile. limits.free: no planes.
function K.make(r, limits)
  local free = limits.free or r:chance(0.25)
  local world = { free = free, g = r:chance(0.8) and -9.81 or 0 }
  local law = { e = r:pick { 0, 0, 0.5, 1, r:number(0, 1) }, mu = r:chance(0.7) and r:pick { 0.2, 0.5, r:number(0, 1) } or 0 }
  local parts = {}
  parts[1] = { once = true, write = function(w) w:say("m:gravity(0, 0, %s)", w:num(world.g, 1, 0, -2)) end }
  local kinds = r:pick { { "sphere" }, { "sphere" }, { "sphere", "capsule" }, { "box" }, { "box", "sphere", "capsule" } }
  local n = r:integer(free and 2 or 1, 5)
  local scale = r:pick { 0.1, 0.2 }
  local pitch = r:pick { 2.15, 2.3 } * scale -- no shape reaches farther than 1.07 of its scale
  world.towards, world.middle = free and 5 or 0, { pitch / 2, pitch / 2, pitch }
  for i = 1, n do
    local k = i - 1
    local place = { pitch * (k % 2), pitch * (k // 2 % 2), pitch * (k // 4 + 1) }
    local b = body(r, world, i, place, r:pick(kinds), scale)
    b.part.needs = { parts[1] }
    parts[#parts + 1] = b.part
  end
  if not free then
    parts[#parts + 1] = plane(1, { pitch / 2, 0, pitch - 1.2 * scale }, r:pick { { 0, 0, 1 }, { 0, 0, 1 }, { 0.1, 0, 1 } })
    if r:chance(0.4) then parts[#parts + 1] = plane(2, { -1.1 * scale, 0, 0 }, { 1, 0, 0 }) end
    if r:chance(0.3) then parts[#parts + 1] = plane(3, { pitch + 1.5 * scale, 0, 0 }, { -1, 0, 0.2 }) end
    for k = n + 2, #parts do parts[k].needs = {} end
  end
  parts[#parts + 1] = { last = true, write = function(w)
    table.insert(w.laws, { e = law.e, mu = law.mu, et = 0 })
    w.friction = law.mu
    local text = "restitution = " .. W.text(law.e) .. (law.mu > 0 and ", friction = " .. W.text(law.mu) or "")
    local list = {}
    for i, s in ipairs(w.shapes) do list[i] = s[1] end
    if not w.style.pairwise then return w:say("m:contacts_among({ %s }, { %s })", table.concat(list, ", "), text) end
    for i, a in ipairs(w.shapes) do
      for k = 1, i - 1 do
        local b = w.shapes[k]
        local pair = a.kind .. " " .. b.kind
        if pair ~= "plane plane" then
          w.unlike = w.unlike or not PAIRWISE[pair]
          w:say("m:contact_between(%s, %s, { %s })", a[1], b[1], text)
        end
      end
    end
  end }
  return parts
end

return K
