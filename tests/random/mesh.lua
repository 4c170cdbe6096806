-- Random meshes of a few cells: bars, plates and blocks of every kind of cell, elastic or hyperelastic, damped or not, thrown on
-- a floor or on each other, held, driven, pressed. The mirror image is x -> -x: nodes along x in the other order.
local W = require "tests.random.writer"

local K = {}

local AXES = { "x", "y", "z" }
local CELLS = { { "bar2" }, { "quad4", "quad4", "tri3" }, { "hex8", "hex8", "tet4" } }

local function product(list)
  local p = 1
  for _, x in ipairs(list) do p = p * x end
  return p
end

-- a list of numbers of one dimension, the first of which the mirror turns
local function vector(w, v, l, m, t)
  local words = {}
  for k, x in ipairs(v) do words[k] = w:num(k == 1 and w.sx * x or x, l, m, t) end
  return "{ " .. table.concat(words, ", ") .. " }"
end

local function side(w, name) return w.style.mirror and (name == "left" and "right" or name == "right" and "left") or name end

-- nodes (i, j, k) of the grid: number as written, number in the original, cells that meet there
local function nodes(w, cells)
  local list, d = {}, #cells
  local counts = { cells[1] + 1, (cells[2] or 0) + 1, (cells[3] or 0) + 1 }
  for k = 0, counts[3] - 1 do
    for j = 0, counts[2] - 1 do
      for i = 0, counts[1] - 1 do
        local here, share = { i, j, k }, 1
        for c = 1, d do share = share * ((here[c] == 0 or here[c] == cells[c]) and 1 or 2) end
        local original = w.style.mirror and cells[1] - i or i
        list[#list + 1] = { number = 1 + i + counts[1] * (j + counts[2] * k),
          original = 1 + original + counts[1] * (j + counts[2] * k), share = share, place = here }
      end
    end
  end
  return list
end

-- options: origin, cells, size of a cell (all along d axes); towards: velocity at the start
local function body(r, d, name, o)
  local cell, stiffness, density, nu = r:pick(CELLS[d]), r:number(2e4, 2e5), r:number(500, 2000), r:number(0, 0.4)
  local thickness, plane, hyper = r:number(0.05, 0.2), r:pick { "strain", "stress" }, r:chance(0.3)
  if hyper then plane = "strain" end
  local damping = r:chance(0.3) and { r:chance(0.3) and r:number(0.1, 2) or 0, r:number(1e-4, 1e-3) }
  local b = { name = name, cell = cell, cells = o.cells, d = d, mass_damping = damping and damping[1] ~= 0 }
  b.part = { write = function(w)
    local full, size, origin = w:name(name), {}, { table.unpack(o.origin) }
    for k = 1, d do size[k] = o.cells[k] * o.edge[k] end
    if w.style.mirror then
      origin[1] = -(origin[1] + size[1])
      if cell == "tri3" or cell == "tet4" then w.no_mirror = true end -- cut along other diagonals there
    end
    local function plain(v)
      local words = {}
      for k, x in ipairs(v) do words[k] = w:num(x, 1) end
      return "{ " .. table.concat(words, ", ") .. " }"
    end
    w:say('local %s = m:mesh("%s", { cells = { %s }, size = %s, origin = %s, cell = "%s"%s })', full, full, table.concat(o.cells, ", "),
      plain(size), plain(origin), cell, d == 2 and (', plane = "%s", thickness = %s'):format(plane, w:num(thickness, 1))
        or d == 1 and ", section = " .. w:num(thickness, 2) or "")
    local C, text = damping, ""
    if C then text = (", damping = { mass = %s, stiffness = %s }"):format(w:num(C[1], 0, 0, -1), w:num(C[2], 0, 0, 1)) end
    local E, rho = w:num(stiffness, -1, 1, -2), w:num(density, -3, 1)
    if not hyper then
      w:say("m:elastic(%s, { E = %s, rho = %s%s%s })", full, E, rho, d > 1 and ", nu = " .. W.text(nu) or "", text)
    elseif d == 1 then
      w:say("m:hyperelastic(%s, { rho = %s%s, energy = function(F) return %s/8*(F[1][1]^2 - 1)^2 end })", full, rho, text, E)
    else
      w:say("m:hyperelastic(%s, { rho = %s%s, energy = function(F)", full, rho, text)
      w:say("  local J, I = carom.det(F), carom.trace(carom.matmul(carom.transpose(F), F))")
      w:say("  return %s/2*(I - 3 - 2*carom.log(J)) + %s/2*(J - 1)^2 end })", E, E)
    end
    local high = {}
    for k = 1, d do high[k] = origin[k] + size[k] end
    w:say('m:probe("%s_low", { mesh = %s, at = %s })', full, full, plain(origin))
    w:say('m:probe("%s_high", { mesh = %s, at = %s })', full, full, plain(high))
    w:say("m:start(%s, { velocity = %s })", full, vector(w, o.towards, 1, 0, -1))
    local share = density * product(o.edge) / 2 ^ d * (d == 2 and thickness or d == 1 and thickness or 1)
    for _, n in ipairs(nodes(w, o.cells)) do
      for k = 1, d do
        local of = ("%s_%d_%s"):format(full, n.number, AXES[k])
        w:quantity(of, k == 1 and -1 or 1, 1, 0, 0, ("%s_%d_%s"):format(name, n.original, AXES[k]))
        w.masses[of] = { k, share * n.share }
      end
    end
    w.uneven = w.uneven or b.mass_damping or cell == "tri3" or cell == "tet4"
  end }
  return b
end

local function contact_quantities(w, b, name)
  for _, n in ipairs(nodes(w, b.cells)) do
    w:quantity(("%s_%d"):format(w:name(name), n.number), 1, 1, 1, -1, ("%s_%d"):format(name, n.original))
  end
end

local function law(r, rough)
  return { e = r:pick { 0, 0, 0.5, r:number(0, 1) }, mu = rough and r:chance(0.6) and r:pick { 0.2, 0.5, r:number(0, 1) } or 0 }
end

local function law_text(w, l)
  table.insert(w.laws, { e = l.e, mu = l.mu, et = 0 })
  return "restitution = " .. W.text(l.e) .. (l.mu > 0 and ", friction = " .. W.text(l.mu) or "")
end

--- Parts of a random mesh model.
function K.make(r, limits)
  local d = r:pick { 1, 2, 2, 2, 3 }
  local rough = limits.rough and d > 1
  local cells, edge, towards, origin, g = {}, {}, {}, {}, {}
  for k = 1, d do
    cells[k], edge[k], towards[k], origin[k] = r:integer(1, d == 3 and 2 or 3), r:number(0.1, 0.2), r:number(-0.5, 0.5), r:number(-0.2, 0.2)
    g[k] = 0
  end
  local gap, l = r:pick { 0, 0.002, 0.01 }, law(r, rough)
  towards[d] = r:number(-1.5, -0.3)
  g[d] = r:chance(0.5) and -9.81 or 0
  origin[d] = gap
  local parts = {}
  parts[1] = { once = true, write = function(w)
    if g[d] ~= 0 then w:say("m:gravity(%s%s)", vector(w, g, 1, 0, -2):sub(3, -3), d == 1 and ", 0" or "") end
    w.heavy, w.gravity = g[d] ~= 0, g
  end }
  local lower = body(r, d, "s", { cells = cells, edge = edge, origin = origin, towards = towards })
  parts[2] = lower.part
  lower.part.needs = { parts[1] }
  local kind = r:pick { "floor", "floor", "floor", "pair", "held" }
  local bottom = d == 1 and "left" or "bottom"
  if kind == "floor" and d == 1 then
    parts[3] = { needs = { parts[2] }, write = function(w)
      contact_quantities(w, lower, "floor")
      w.normal = { w.sx }
      w:say('m:contact_surface("%s", { mesh = %s, boundary = "%s", gap = function(x) return %s end, %s })', w:name("floor"),
        w:name("s"), side(w, "left"), w.style.mirror and "-x" or "x", law_text(w, l))
    end }
  elseif kind == "floor" then
    local slope = r:pick { 0, 0, 0.02 }
    parts[3] = { needs = { parts[2] }, write = function(w)
      contact_quantities(w, lower, "floor")
      local c = math.sqrt(1 + slope ^ 2)
      w.normal = d == 2 and { w.sx * slope / c, 1 / c } or { w.sx * slope / c, 0, 1 / c }
      local low = slope * (slope > 0 and origin[1] or 0) -- the corner on the left touches first
      local args = d == 2 and "x, y" or "x, _, z"
      w:say('m:contact_surface("%s", { mesh = %s, boundary = "bottom", gap = function(%s) return %s*x + %s*%s - %s end, %s })',
        w:name("floor"), w:name("s"), args, W.text(w.sx * slope / c), W.text(1 / c), d == 2 and "y" or "z", w:num(low / c, 1),
        law_text(w, l))
    end }
  elseif kind == "pair" and d > 1 then
    local wider, at = {}, {}
    for k = 1, d do wider[k], at[k] = edge[k], origin[k] end
    for k = 1, d - 1 do wider[k], at[k] = 1.5 * edge[k], origin[k] - 0.25 * cells[k] * edge[k] end
    at[d] = origin[d] - gap - cells[d] * edge[d]
    local still = {}
    for k = 1, d do still[k] = 0 end
    local under = body(r, d, "u", { cells = cells, edge = wider, origin = at, towards = still })
    under.part.needs = { parts[1] }
    parts[3] = under.part
    parts[4] = { needs = { parts[2], parts[3] }, write = function(w)
      contact_quantities(w, lower, "between")
      w:say('m:contact_pair("%s", { mesh = %s, boundary = "bottom", master = %s, master_boundary = "top", %s })', w:name("between"),
        w:name("s"), w:name("u"), law_text(w, l))
    end }
  else
    local moving, rate, size = r:chance(0.4), r:number(5, 40), r:number(0.001, 0.01)
    parts[3] = { needs = { parts[2] }, write = function(w)
      w.held = true
      if not moving then return w:say('m:fix(%s, "%s")', w:name("s"), side(w, bottom)) end
      w.driven, w.has_time = true, true
      local components = {}
      local t = ("(t - %s)"):format(w:num(w.style.shift or 0, 0, 0, 1))
      for k = 1, d do
        components[k] = k == d and ("%s*(1 - carom.cos(%s*%s))"):format(w:num(k == 1 and w.sx * size or size, 1), w:num(rate, 0, 0, -1), t)
          or "0"
      end
      w:say('m:fix(%s, "%s", { motion = function(%s, t) return { %s } end })', w:name("s"), side(w, bottom),
        table.concat({ "X", "Y", "Z" }, ", ", 1, d), table.concat(components, ", "))
    end }
    lower.part.needs = { parts[1] }
    for k = 1, d do towards[k] = 0 end
  end
  if r:chance(0.3) then
    local pressure = {}
    for k = 1, d do pressure[k] = r:number(-500, 500) end
    local on = d == 1 and "right" or "top"
    parts[#parts + 1] = { needs = { parts[2] }, write = function(w)
      w.driven = true
      w:say('m:traction(%s, "%s", %s)', w:name("s"), side(w, on), vector(w, pressure, -1, 1, -2))
    end }
  end
  return parts
end

return K
