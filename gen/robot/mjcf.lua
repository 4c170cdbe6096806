-- MJCF as a robot (gen/robot/urdf.lua says what that is): bodies inside bodies, joints and geometries in them.
local hull = require "gen.robot.hull"
local reader = require "gen.robot.reader"
local turn = require "gen.robot.turn"
local xml = require "gen.robot.xml"

local M = {}
local Reader = reader.kind()

local rad = math.pi / 180

-- An attribute of an element, or of the default class that it has, or that its body gave it.
function Reader:get(element, name, class)
  if element.attr[name] then return element.attr[name] end
  local c = self.classes[element.attr.class or class or "main"] or self.classes.main
  while c do
    local set = c[element.tag]
    if set and set[name] then return set[name] end
    c = c.parent
  end
end

function Reader:numbers(element, name, default, class)
  local text = self:get(element, name, class)
  if not text then return default end
  return xml.numbers(text) or self:refuse(element, '%s="%s" of <%s> is not a list of numbers', name, text, element.tag)
end

function Reader:vector(element, name, default, class)
  local v = self:numbers(element, name, default, class)
  if v and #v < 3 then self:refuse(element, "%s of <%s> has fewer than three numbers", name, element.tag) end
  return v
end

function Reader:turned(element, class)
  local q = self:numbers(element, "quat", nil, class)
  if q then return turn.quaternion(q[1], q[2], q[3], q[4]) end
  local e = self:numbers(element, "euler", nil, class)
  if e then -- intrinsic x, y, z, as long as nothing else is said
    local k = self.angle
    return turn.times(turn.times(turn.about({ 1, 0, 0 }, e[1] * k), turn.about({ 0, 1, 0 }, e[2] * k)), turn.about({ 0, 0, 1 }, e[3] * k))
  end
  local a = self:numbers(element, "axisangle", nil, class)
  if a then return turn.about(a, a[4] * self.angle) end
  if self:get(element, "xyaxes", class) or self:get(element, "zaxis", class) then
    self:refuse(element, "xyaxes and zaxis of <%s> are not read; write quat", element.tag)
  end
  return turn.identity
end

-- default classes, one inside the other
function Reader:defaults(element, parent)
  local class = { parent = parent }
  self.classes[element.attr.class or "main"] = class
  for _, e in ipairs(element) do
    if e.tag == "default" then self:defaults(e, class) else class[e.tag] = e.attr end
  end
end

local function volume_inertia(s)
  local r, l = s.radius, s.length
  if s.kind == "sphere" then
    local v = 4 / 3 * math.pi * r ^ 3
    return v, { 0.4 * v * r * r, 0.4 * v * r * r, 0.4 * v * r * r }
  elseif s.kind == "box" then
    local a, b, c = table.unpack(s.size)
    local v = a * b * c
    return v, { v * (b * b + c * c) / 12, v * (a * a + c * c) / 12, v * (a * a + b * b) / 12 }
  elseif s.kind == "cylinder" then
    local v = math.pi * r * r * l
    return v, { v * (3 * r * r + l * l) / 12, v * (3 * r * r + l * l) / 12, v * r * r / 2 }
  end
  local v, w = math.pi * r * r * l, 4 / 3 * math.pi * r ^ 3 -- a capsule: the cylinder and a ball in two halves
  local across = v * (3 * r * r + l * l) / 12 + w * (0.4 * r * r + l * l / 4 + 3 * l * r / 8)
  return v + w, { across, across, v * r * r / 2 + w * 0.4 * r * r }
end

function Reader:geometry(link, g, class)
  local kind = self:get(g, "type", class) or (self:get(g, "mesh", class) and "mesh") or "sphere"
  local size = self:numbers(g, "size", {}, class)
  local s = { kind = kind, at = self:vector(g, "pos", { 0, 0, 0 }, class), R = self:turned(g, class) }
  local ends = self:numbers(g, "fromto", nil, class)
  if ends then
    local a, b = { ends[1], ends[2], ends[3] }, { ends[4], ends[5], ends[6] }
    local d = turn.minus(b, a)
    local n = math.sqrt(d[1] ^ 2 + d[2] ^ 2 + d[3] ^ 2)
    s.at, size[2] = { (a[1] + b[1]) / 2, (a[2] + b[2]) / 2, (a[3] + b[3]) / 2 }, n / 2
    local c, axis = d[3] / n, { -d[2], d[1], 0 }
    s.R = math.abs(axis[1]) + math.abs(axis[2]) > 1e-12 * n and turn.about(axis, math.acos(math.max(-1, math.min(1, c)))) or turn.identity
  end
  if kind == "sphere" then
    s.radius = size[1]
  elseif kind == "box" then
    s.size = size[3] and { 2 * size[1], 2 * size[2], 2 * size[3] }
  elseif kind == "capsule" or kind == "cylinder" then
    s.radius, s.length = size[1], size[2] and 2 * size[2]
  elseif kind == "mesh" then
    local asset = self.meshes[self:get(g, "mesh", class) or ""]
    local points, why
    if asset then
      points, why = hull.read(self.meshdir .. (asset.attr.file or ""), self.folder, xml.numbers(asset.attr.scale or "1 1 1"))
    else
      why = "there is no mesh of that name"
    end
    if not points then return self:note("a mesh of body %s: %s", link.name, why) end
    self:polyhedron(s, points, asset.attr.file, why)
    self:note("the mass of meshes: bodies without <inertial> have that of their other shapes")
  else
    return self:note("the geometry '%s' of body %s", kind, link.name)
  end
  if not g.attr.size and kind ~= "mesh" and self:get(g, "mesh", class) then
    return self:note("a %s of body %s, which MuJoCo fits to a mesh", kind, link.name)
  end
  if kind == "box" and not s.size or kind ~= "box" and kind ~= "mesh" and not s.radius or (kind == "capsule" or kind == "cylinder")
    and not s.length then
    self:refuse(g, "a %s without the size it needs", kind)
  end
  local touches = self:get(g, "contype", class) ~= "0" or self:get(g, "conaffinity", class) ~= "0"
  if touches then table.insert(link.shapes, s) end
  if kind == "mesh" or link.given then return end
  local v, I = volume_inertia(s) -- per density
  local mass = self:numbers(g, "mass", nil, class)
  local density = self:numbers(g, "density", { 1000 }, class)[1]
  local factor = mass and mass[1] / v or density
  local rows = turn.times(turn.times(s.R, { { I[1], 0, 0 }, { 0, I[2], 0 }, { 0, 0, I[3] } }), turn.transposed(s.R))
  table.insert(link.parts, { mass = factor * v, at = s.at, rows = rows, factor = factor })
end

-- mass, centre and inertia of all geometries together
local function gathered(link)
  local mass, sum = 0, { 0, 0, 0 }
  for _, p in ipairs(link.parts) do
    mass = mass + p.mass
    for k = 1, 3 do sum[k] = sum[k] + p.mass * p.at[k] end
  end
  if mass <= 0 then return end
  link.mass, link.center = mass, { sum[1] / mass, sum[2] / mass, sum[3] / mass }
  for _, p in ipairs(link.parts) do
    local d = turn.minus(p.at, link.center)
    local dd = d[1] ^ 2 + d[2] ^ 2 + d[3] ^ 2
    for i = 1, 3 do
      for j = 1, 3 do
        link.inertia[i][j] = link.inertia[i][j] + p.factor * p.rows[i][j] + p.mass * ((i == j and dd or 0) - d[i] * d[j])
      end
    end
  end
end

function Reader:inertial(link, e)
  link.given = true
  link.mass, link.center = tonumber(e.attr.mass) or self:refuse(e, "<inertial> has no mass"), self:vector(e, "pos", { 0, 0, 0 })
  local d, f = self:numbers(e, "diaginertia"), self:numbers(e, "fullinertia")
  local rows = d and { { d[1], 0, 0 }, { 0, d[2], 0 }, { 0, 0, d[3] } } or f and { { f[1], f[4], f[5] }, { f[4], f[2], f[6] }, { f[5],
    f[6], f[3] } }
  if not rows then self:refuse(e, "<inertial> has no diaginertia") end
  local R = self:turned(e)
  link.inertia = turn.times(turn.times(R, rows), turn.transposed(R))
end

local KINDS = { hinge = "revolute", slide = "prismatic" }

-- A body on its joints, in order; several joints are a chain of links without mass.
function Reader:body(e, parent, class)
  class = e.attr.childclass or class
  self.count = self.count + 1
  local name = e.attr.name or ("body%d"):format(self.count)
  local link = { name = name, line = e.line, mass = 0, center = { 0, 0, 0 }, inertia = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } },
    shapes = {}, parts = {} }
  local at, R, above, joints = self:vector(e, "pos", { 0, 0, 0 }), self:turned(e), parent, {}
  for _, c in ipairs(e) do
    if c.tag == "inertial" then self:inertial(link, c) end
    if c.tag == "joint" or c.tag == "freejoint" then joints[#joints + 1] = c end
  end
  for _, g in ipairs(xml.all(e, "geom")) do self:geometry(link, g, class) end
  if not link.given then gathered(link) end
  local off = { 0, 0, 0 } -- of the joint in the frame of the body
  for k, j in ipairs(joints) do
    local kind = j.tag == "freejoint" and "free" or self:get(j, "type", class) or "hinge"
    if kind == "free" then
      if parent ~= "world" or #joints > 1 then self:refuse(j, "a free joint below another body") end
      self.robot.free = true
    elseif not KINDS[kind] then
      self:refuse(j, "a joint of type '%s' cannot be mapped; write hinges", kind)
    else
      local last = k == #joints
      local jpos = self:vector(j, "pos", { 0, 0, 0 }, class)
      if (jpos[1] ~= off[1] or jpos[2] ~= off[2] or jpos[3] ~= off[3])
        and k > 1 then self:refuse(j, "joints of one body at different places") end
      off = jpos
      local child = last and name or ("%s_%d"):format(name, k)
      local range, limited = self:numbers(j, "range", nil, class), self:get(j, "limited", class)
      local factor = kind == "hinge" and self.angle or 1
      local joint = { name = j.attr.name or ("%s_joint%d"):format(name, k), line = j.line, kind = KINDS[kind], parent = above,
        child = child,
        at = k == 1 and turn.plus(at, turn.turned(R, off)) or { 0, 0, 0 }, R = k == 1 and R or turn.identity,
        axis = self:vector(j, "axis", { 0, 0, 1 }, class), damping = self:numbers(j, "damping", { 0 }, class)[1] }
      if range and limited ~= "false" and range[1] < range[2] then joint.low, joint.high = range[1] * factor, range[2] * factor end
      for _, key in ipairs { "stiffness", "frictionloss", "armature" } do
        local x = self:numbers(j, key, nil, class)
        if x and x[1] ~= 0 then self:note("%s of joints", key) end
      end
      if not last then
        table.insert(self.robot.links, { name = child, line = e.line, mass = 0, center = { 0, 0, 0 }, inertia = link.inertia, shapes = {} })
      end
      table.insert(self.robot.joints, joint)
      above = child
    end
  end
  if #joints == 0 then
    table.insert(self.robot.joints, { name = name .. "_fixed", line = e.line, kind = "fixed", parent = parent, child = name, at = at,
      R = R, axis = { 0, 0, 1 },
      damping = 0 })
  end
  if off[1] ~= 0 or off[2] ~= 0 or off[3] ~= 0 then -- the frame of a link is that of its joint
    link.center = turn.minus(link.center, off)
    for _, s in ipairs(link.shapes) do
      s.at = turn.minus(s.at, off)
      for i, p in ipairs(s.points or {}) do s.points[i] = turn.minus(p, off) end
    end
  end
  self.off[name] = off
  if parent ~= "world" and self.off[parent] then
    local o = self.off[parent]
    for _, j in ipairs(self.robot.joints) do
      if j.parent == parent and j.line == (joints[1] or e).line and not j.moved then j.at, j.moved = turn.minus(j.at, o), true end
    end
  end
  table.insert(self.robot.links, link)
  for _, b in ipairs(xml.all(e, "body")) do self:body(b, name, class) end
end

local READ = { worldbody = true, asset = true, default = true, compiler = true, actuator = true, option = true, size = true, visual = true,
  statistic = true }

--- The robot of a parsed file.
function M.robot(root, file, folder)
  local compiler = xml.child(root, "compiler") or { attr = {} }
  local self = setmetatable({ file = file, folder = folder, noted = {}, classes = { main = {} }, meshes = {}, count = 0, off = {},
    angle = compiler.attr.angle == "radian" and 1 or rad, meshdir = compiler.attr.meshdir and compiler.attr.meshdir .. "/" or "",
    robot = { name = root.attr.model or "robot", links = {}, joints = {}, left_out = {} } }, Reader)
  if compiler.attr.eulerseq and compiler.attr.eulerseq ~= "xyz" then self:refuse(compiler, "eulerseq=\"%s\" is not read; write quat",
    compiler.attr.eulerseq) end
  if compiler.attr.coordinate == "global" then self:refuse(compiler, "global coordinates are not read") end
  for _, d in ipairs(xml.all(root, "default")) do self:defaults(d) end
  for _, a in ipairs(xml.all(xml.child(root, "asset") or {}, "mesh")) do
    self.meshes[a.attr.name or (a.attr.file or ""):match "([^/]*)%.%w+$" or ""] = a
  end
  local world = xml.child(root, "worldbody") or self:refuse(root, "there is no <worldbody>")
  for _, g in ipairs(xml.all(world, "geom")) do
    self:note("what stands in the world: <geom type=\"%s\">%s", g.attr.type or "sphere", g.attr.type == "plane" and " (write --ground)"
      or "")
  end
  local bodies = xml.all(world, "body")
  if #bodies == 0 then self:refuse(world, "there is no body in <worldbody>") end
  for _, b in ipairs(bodies) do self:body(b, "world") end
  if self.robot.free and #bodies == 1 then -- its root is the body itself
    for i, l in ipairs(self.robot.links) do if l.name == (bodies[1].attr.name or "body1") then table.insert(self.robot.links, 1,
      table.remove(self.robot.links, i)) end end
  else
    if self.robot.free then self:refuse(bodies[1], "one robot of several that moves freely; import them one by one") end
    table.insert(self.robot.links, 1, { name = "world", line = world.line, mass = 0, center = { 0, 0, 0 }, inertia = {}, shapes = {} })
  end
  local driven = {}
  for _, a in ipairs(xml.child(root, "actuator") or {}) do
    if a.attr.joint then driven[a.attr.joint] = true end
    if a.tag ~= "motor" then self:note("laws of actuators <%s> (their joints have inputs)", a.tag) end
  end
  for _, j in ipairs(self.robot.joints) do j.motor = driven[j.name] end
  for _, e in ipairs(root) do if not READ[e.tag] then self:note("<%s>", e.tag) end end
  return self.robot
end

return M
