-- A robot (gen/robot/urdf.lua says what it is made of) as the text of a model.
local turn = require "gen.robot.turn"

local function number(x)
  if math.abs(x) < 1e-15 then return "0" end
  for digits = 6, 17 do
    local text = ("%." .. digits .. "g"):format(x)
    if tonumber(text) == x or digits == 12 and math.abs(tonumber(text) - x) <= 1e-11 * math.abs(x) then return text end
  end
end

local function vector(v) return ("{ %s, %s, %s }"):format(number(v[1]), number(v[2]), number(v[3])) end

-- rows of a rotation keep all their digits
local function rows(A)
  local list = {}
  for i = 1, 3 do
    local row = {}
    for j = 1, 3 do
      local whole = math.floor(A[i][j] + 0.5)
      row[j] = math.abs(A[i][j] - whole) < 1e-14 and ("%d"):format(whole) or ("%.17g"):format(A[i][j])
    end
    list[i] = "{ " .. table.concat(row, ", ") .. " }"
  end
  return "{ " .. table.concat(list, ", ") .. " }"
end

local function inertia(I)
  local scale = math.max(I[1][1], I[2][2], I[3][3])
  if math.max(math.abs(I[1][2]), math.abs(I[1][3]), math.abs(I[2][3])) <= 1e-12 * scale then
    return vector { I[1][1], I[2][2], I[3][3] }
  end
  return ("{ %s, %s, %s }"):format(vector(I[1]), vector(I[2]), vector(I[3]))
end

local W = {}
W.__index = W

function W:put(format, ...) self.lines[#self.lines + 1] = select("#", ...) > 0 and format:format(...) or format end

local function refuse(self, item, format, ...)
  error({ carom = true, file = self.file, line = item and item.line or 1, message = format:format(...) }, 0)
end

-- An identifier that nothing else has.
function W:identifier(name)
  local base = name:gsub("[^%w_]", "_"):gsub("^(%d)", "_%1")
  base = base:gsub("^_+", ""):gsub("__+", "_")
  if base == "" then base = "part" end
  local why = self.refusal(base)
  if why then base = base .. "_part" end
  local id, k = base, 1
  while self.taken[id] do
    k = k + 1
    id = base .. k
  end
  self.taken[id] = true
  return id
end

-- Who hangs on whom: the root, and the joints from there outwards.
function W:tree()
  local robot, links, above, below = self.robot, {}, {}, {}
  for _, l in ipairs(robot.links) do
    if links[l.name] then refuse(self, l, "two links are called %s", l.name) end
    links[l.name], below[l.name] = l, {}
  end
  for _, j in ipairs(robot.joints) do
    for _, end_of in ipairs { "parent", "child" } do
      if not links[j[end_of]] then refuse(self, j, "joint %s: there is no link %s", j.name, j[end_of]) end
    end
    if above[j.child] then refuse(self, j, "link %s hangs on two joints, %s and %s", j.child, above[j.child].name, j.name) end
    above[j.child] = j
    table.insert(below[j.parent], j)
  end
  local root
  for _, l in ipairs(robot.links) do
    if not above[l.name] then
      if root then refuse(self, l, "both %s and %s hang on nothing; a robot has one root", root.name, l.name) end
      root = l
    end
  end
  if not root then refuse(self, nil, #robot.links == 0 and "there are no links" or "the links form a ring; a robot has a root") end
  local order, seen = {}, 0
  local function walk(name)
    for _, j in ipairs(below[name]) do
      order[#order + 1], j.link = j, links[j.child]
      walk(j.child)
    end
  end
  walk(root.name)
  for _ in ipairs(order) do seen = seen + 1 end
  if seen ~= #robot.joints then refuse(self, robot.joints[1], "some links hang in a ring, not on %s", root.name) end
  return root, order, links
end

-- A joint beyond which nothing has mass has no equation: it is held, and told.
local function hold(robot, order)
  local beyond = {}
  for i = #order, 1, -1 do
    local j = order[i]
    local mass = j.link.mass + (beyond[j.child] or 0)
    if mass <= 0 and j.kind ~= "fixed" then
      j.kind = "fixed"
      table.insert(robot.left_out, ("the motion of joint %s, beyond which nothing has mass: it is fixed"):format(j.name))
    end
    beyond[j.parent] = (beyond[j.parent] or 0) + mass
  end
end

-- Does a body of this mass and inertia turn by itself?
local function turns(link)
  local I = link.inertia
  local minor = I[1][1] * I[2][2] - I[1][2] * I[2][1]
  local det = I[1][1] * (I[2][2] * I[3][3] - I[2][3] * I[3][2]) - I[1][2] * (I[2][1] * I[3][3] - I[2][3] * I[3][1])
    + I[1][3] * (I[2][1] * I[3][2] - I[2][2] * I[3][1])
  local scale = math.max(I[1][1], I[2][2], I[3][3])
  return link.mass > 0 and I[1][1] > 0 and minor > 1e-12 * scale ^ 2 and det > 1e-12 * scale ^ 3
end

-- Gives a root without mass or inertia, a frame for the others, those of the links that are fixed to it, which become frames on it.
local function weld(root, order)
  local to, parts, center, mass = { [root.name] = { { 0, 0, 0 }, turn.identity } }, {}, { 0, 0, 0 }, 0
  local function add(link, at, R)
    local c = turn.plus(at, turn.turned(R, link.center))
    parts[#parts + 1] = { mass = link.mass, center = c, inertia = turn.times(turn.times(R, link.inertia), turn.transposed(R)) }
    mass = mass + link.mass
    for k = 1, 3 do center[k] = center[k] + link.mass * c[k] end
    link.mass = 0
  end
  add(root, { 0, 0, 0 }, turn.identity)
  for _, j in ipairs(order) do
    local p = j.kind == "fixed" and to[j.parent]
    if p then
      to[j.child] = { turn.plus(p[1], turn.turned(p[2], j.at)), turn.times(p[2], j.R) }
      add(j.link, table.unpack(to[j.child]))
    end
  end
  if mass <= 0 then return end
  root.mass = mass
  for k = 1, 3 do center[k] = center[k] / mass end
  root.center, root.inertia = center, { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }
  for _, p in ipairs(parts) do
    local d = turn.minus(p.center, center)
    for i = 1, 3 do
      for k = 1, 3 do
        local square = i == k and d[1] ^ 2 + d[2] ^ 2 + d[3] ^ 2 or 0
        root.inertia[i][k] = root.inertia[i][k] + p.inertia[i][k] + p.mass * (square - d[i] * d[k])
      end
    end
  end
end

-- Where a joint stands at the start: 0, or the middle of limits that leave it out.
local function start(j)
  if j.start then return j.start end
  if not j.low or j.low <= 0 and j.high >= 0 then return 0 end
  return (j.low + j.high) / 2
end

-- Joints that mimic others start where those have them.
local function follow(joints)
  local by = {}
  for _, j in ipairs(joints) do by[j.name] = j end
  for _, j in ipairs(joints) do
    local other = j.mimic and by[j.mimic.of or ""]
    if other then j.start = j.mimic.offset + (other.kind ~= "fixed" and j.mimic.factor * start(other) or 0) end
  end
end

-- The lowest point of a shape in the frame (at, R).
local function lowest(s, at, R)
  local z = at[3] + turn.turned(R, s.at)[3]
  local T = turn.times(R, s.R)
  if s.kind == "sphere" then return z - s.radius end
  if s.kind == "box" then
    for k = 1, 3 do z = z - math.abs(T[3][k]) * s.size[k] / 2 end
    return z
  elseif s.kind == "polyhedron" then
    local low = math.huge
    for _, p in ipairs(s.points) do low = math.min(low, at[3] + turn.turned(R, p)[3]) end
    return low
  end
  z = z - math.abs(T[3][3]) * s.length / 2
  return z - s.radius * (s.kind == "capsule" and 1 or math.sqrt(math.max(0, 1 - T[3][3] ^ 2)))
end

-- The frames { origin, rows } of all links below the root, with the joints at q(joint).
local function frames(root, order, q)
  local frame = { [root.name] = { { 0, 0, 0 }, turn.identity } }
  for _, j in ipairs(order) do
    local p = frame[j.parent]
    local at, R = turn.plus(p[1], turn.turned(p[2], j.at)), turn.times(p[2], j.R)
    local n = math.sqrt(j.axis[1] ^ 2 + j.axis[2] ^ 2 + j.axis[3] ^ 2)
    if j.kind == "revolute" then
      R = turn.times(R, turn.about(j.axis, q(j)))
    elseif j.kind == "prismatic" then
      at = turn.plus(at, turn.turned(R, { j.axis[1] / n * q(j), j.axis[2] / n * q(j), j.axis[3] / n * q(j) }))
    end
    frame[j.child] = { at, R }
  end
  return frame
end

-- How deep the robot reaches below the origin of its root, at the start.
function W:depth(root, order)
  local frame, low = frames(root, order, start), math.huge
  for _, l in ipairs(self.robot.links) do
    for _, s in ipairs(l.shapes) do low = math.min(low, lowest(s, frame[l.name][1], frame[l.name][2])) end
  end
  return low < math.huge and low or 0
end

-- The points of a shape that touch a plane, in the frame of its link: middles of spheres, ends of axes, corners.
local function touching(s)
  if s.kind == "polyhedron" then return s.points end
  if s.kind == "sphere" then return { s.at } end
  local list, half = {}, s.kind == "box" and { s.size[1] / 2, s.size[2] / 2, s.size[3] / 2 } or { 0, 0, s.length / 2 }
  for x = -1, 1, 2 do
    for y = -1, 1, 2 do
      for z = -1, 1, 2 do list[#list + 1] = turn.plus(s.at, turn.turned(s.R, { x * half[1], y * half[2], z * half[3] })) end
    end
  end
  return list
end

-- Shapes of a robot that stands on the ground keep their height where only joints about upright axes carry them: they never touch it anew.
-- Where they cannot move in both directions along the ground, friction has no direction to act in, and is left out.
function W:level(root, order)
  if self.free then return end
  local a, b = frames(root, order, function() return 0.3 end), frames(root, order, function(j) return -0.7 - 0.01 * #j.name end)
  for _, l in ipairs(self.robot.links) do
    for _, s in ipairs(l.shapes) do
      for _, p in ipairs(touching(s)) do
        local d = turn.minus(turn.plus(a[l.name][1], turn.turned(a[l.name][2], p)), turn.plus(b[l.name][1], turn.turned(b[l.name][2], p)))
        if math.abs(d[3]) < 1e-9 then s.held = true end
        if math.abs(d[1]) < 1e-9 or math.abs(d[2]) < 1e-9 then s.smooth = true end
      end
    end
  end
end

-- A cylinder that stands upright touches a plane with no point more than another: its ends are taken as round.
local function rounded(s)
  if s.kind ~= "cylinder" then return s end
  local long = s.length - 2 * s.radius
  return { kind = long > 0 and "capsule" or "sphere", at = s.at, R = s.R, radius = s.radius, length = long > 0 and long or nil,
    held = s.held, smooth = s.smooth }
end

-- The shapes of a link, whose frame has its origin at `off` in the link's own: `of` names the body.
function W:shapes(link, of, off)
  for i, given in ipairs(link.shapes) do
    local s = rounded(given)
    local list = given.held and "" or given.smooth and "smooth[#smooth + 1] = " or "shapes[#shapes + 1] = "
    self.smooth = self.smooth or (given.smooth and not given.held)
    if s ~= given then link.shapes[i], self.rounded = s, true end
    local name, body, at = self:identifier(link.name .. "_" .. s.kind), of, turn.minus(s.at, off)
    if s.kind == "polyhedron" then
      self:put('%sm:polyhedron("%s", { body = %s, points = {', list, name, of)
      for _, p in ipairs(s.points) do self:put("  %s,", vector(turn.minus(p, off))) end
      self:put "} })"
    else
      local axis = ""
      if s.kind == "box" and not turn.is_identity(s.R) then
        body = self:identifier(name .. "_frame")
        self:put('local %s = m:link("%s", { parent = %s, joint = "fixed", at = %s,\n  rotation = %s })', body, body, of, vector(at),
          rows(s.R))
        at = { 0, 0, 0 }
      elseif s.kind == "cylinder" or s.kind == "capsule" then
        local z = turn.turned(s.R, { 0, 0, 1 })
        for k = 1, 3 do if math.abs(z[k]) < 1e-15 then z[k] = 0 end end
        if z[1] ~= 0 or z[2] ~= 0 then axis = (", axis = %s"):format(vector(z)) end
      end
      local size = s.kind == "box" and ("size = %s"):format(vector(s.size)) or ("radius = %s"):format(number(s.radius))
      if s.length then size = size .. (", length = %s"):format(number(s.length)) end
      self:put('%sm:%s("%s", { %s%s, body = %s, at = %s })', list, s.kind, name, size, axis, body, vector(at))
    end
  end
end

local function mass_of(link)
  if link.mass <= 0 then return "" end
  return (",\n  mass = %s, center = %s, inertia = %s"):format(number(link.mass), vector(link.center), inertia(link.inertia))
end

function W:joint(j, links)
  local link, moving = links[j.child], j.kind ~= "fixed"
  local id = self:identifier(moving and j.name or link.name)
  local parent = self.of[j.parent]
  local more, slides = "", j.kind == "prismatic"
  local at = turn.minus(j.at, self.off[j.parent] or { 0, 0, 0 })
  if moving then more = more .. (", axis = %s"):format(vector(j.axis)) end
  if at[1] ~= 0 or at[2] ~= 0 or at[3] ~= 0 then more = more .. (", at = %s"):format(vector(at)) end
  if not turn.is_identity(j.R) then more = more .. (",\n  rotation = %s"):format(rows(j.R)) end
  more = more .. mass_of(link)
  if moving and j.kind ~= "planar" then
    if start(j) ~= 0 then more = more .. (",\n  initial = %s"):format(number(start(j))) end
    if j.low then more = more .. (",\n  limits = { %s, %s }"):format(number(j.low), number(j.high)) end
    if j.motor then more = more .. (',\n  motor = m:input("%s_%s", 0, "%s")'):format(id, slides and "force" or "torque", slides and "N"
      or "N m") end
  end
  if moving then self:put("\n-- joint %s: link %s on %s", j.name, j.child, j.parent) else self:put("\n-- link %s, fixed to %s", j.child,
    j.parent) end
  self:put('local %s = m:link("%s", { %sjoint = "%s"%s })', id, id, parent and ("parent = %s, "):format(parent) or "", j.kind, more)
  self.of[j.child], self.joint_of[j.name] = id, moving and id
  if moving and j.kind ~= "planar" then
    if j.damping > 0 then
      self:put('m:dissipation(m:parameter("%s_damping", %s, "%s") * %s.q.dot^2 / 2)', id, number(j.damping), slides and "N s/m"
        or "N m s/rad", id)
    end
    self:put("m:potential_energy(%s * (%s.q - %s)^2 / 2)", slides and "hold_slides" or "hold", id, number(start(j)))
    self.slides = self.slides or slides
    self.turns = self.turns or not slides
  elseif j.damping > 0 then
    table.insert(self.robot.left_out, ("damping of the joint %s"):format(j.name))
  end
  self:shapes(link, id, { 0, 0, 0 })
end

function W:root(root, height)
  local id = self:identifier(root.name)
  self.of[root.name] = id
  if not self.free then
    self:put("\n-- link %s stands on the ground", root.name)
    self:put('local %s = m:link("%s", { joint = "fixed" })', id, id)
    return self:shapes(root, id, { 0, 0, 0 })
  end
  if root.mass <= 0 then refuse(self,
    root, "link %s, the root, has no mass, nor has what is fixed to it; a free robot needs some (or leave out --free)", root.name) end
  local c = root.center
  self.off[root.name] = c
  self:put("\n-- link %s moves freely; its frame has its origin at the centre of mass", root.name)
  self:put('local %s = m:free_body("%s", { mass = %s, inertia = %s,\n  at = { %s, %s, %s + height } })', id, id, number(root.mass),
    inertia(root.inertia), number(c[1]), number(c[2]), number(c[3]))
  self:shapes(root, id, c)
  return height
end

--- The text of the model. options: name, file (what it was made of), free (the root is not held), ground (a floor with friction),
--- height (of the root; nil: so that it just stands), refusal (of names, gen/lang/core/names.lua).
return function(robot, options)
  local self = setmetatable({ robot = robot, lines = {}, taken = { m = true, carom = true, shapes = true, smooth = true,
    hold = true, hold_slides = true,
    height = true, friction = true, restitution = true, ground = true, floor = true, gravity = true }, of = {}, off = {}, joint_of = {},
    file = options.file, free = options.free, refusal = options.refusal }, W)
  local root, order, links = self:tree()
  hold(robot, order)
  follow(order)
  if self.free and not turns(root) then weld(root, order) end
  self:level(root, order)
  self:root(root)
  for _, j in ipairs(order) do self:joint(j, links) end
  for _, j in ipairs(robot.joints) do
    if j.mimic and j.kind ~= "fixed" then
      local other = self.joint_of[j.mimic.of or ""]
      if other == nil then refuse(self, j, "joint %s mimics %s, which is not there", j.name, tostring(j.mimic.of)) end
      self:put('\nm:constraint("%s", %s.q%s - %s)', self:identifier(j.name .. "_mimics"), self.joint_of[j.name],
        other and (" - %s * %s.q"):format(number(j.mimic.factor), other) or "", number(j.mimic.offset))
    end
  end
  local body = self.lines
  self.lines = {}
  self:put("-- %s, made by carom import of %s: %d links, %d joints.", options.name, options.file, #robot.links, #robot.joints)
  if self.smooth then table.insert(robot.left_out, "friction of shapes that move in one direction along the ground only") end
  if self.rounded then table.insert(robot.left_out, "the flat ends of cylinders, which are round here (within the same length)") end
  table.insert(robot.left_out, "collisions of the robot with itself")
  self:put "--\n-- Left out:"
  for _, text in ipairs(robot.left_out) do self:put("--   %s", (text:gsub("%s+", " "))) end
  self:put('local carom = require "carom"\nlocal m = carom.model "%s"\n', options.name)
  self:put 'm:gravity(0, 0, -m:parameter("gravity", 9.81, "m/s^2"))'
  if self.turns then
    self:put 'local hold = m:parameter("hold", 0, "N m/rad")            -- stiffness that holds the joints where they start' end
  if self.slides then self:put 'local hold_slides = m:parameter("hold_slides", 0, "N/m")  -- the same, of joints that slide' end
  if options.free then
    self:put('local height = m:parameter("height", %s, "m")  -- of the root at the start', number(options.height or -self:depth(root,
      order)))
  end
  self:put(self.smooth and "local shapes, smooth = {}, {} -- those with and without friction" or "local shapes = {}")
  table.move(body, 1, #body, #self.lines + 1, self.lines)
  if options.ground then
    self:put '\n-- the ground'
    self:put 'local friction = m:parameter("friction", 0.8, "1")'
    self:put 'local restitution = m:parameter("restitution", 0, "1")'
    self:put 'local ground = m:plane("ground", { normal = { 0, 0, 1 } })'
    self:put 'for _, s in ipairs(shapes) do m:contact_between(s, ground, { friction = friction, restitution = restitution }) end'
    if self.smooth then self:put 'for _, s in ipairs(smooth) do m:contact_between(s, ground, { restitution = restitution }) end' end
  end
  self:put('\nm:run { until_time = 2, step = 1e-3, scheme = "moreau-jean:theta=0.5,ctol=1e-9" }\nreturn m')
  return table.concat(self.lines, "\n") .. "\n"
end
