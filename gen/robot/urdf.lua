-- URDF as a robot: { name, links, joints, left_out }.
--   link: name, line, mass, center, inertia (rows, along the axes of the link), shapes
--   shape: kind (box, sphere, cylinder, capsule, polyhedron), at, R, size | radius, length | points
--   joint: name, line, kind (fixed, revolute, prismatic, planar), parent, child, at, R, axis, low, high, damping, mimic, motor
local hull = require "gen.robot.hull"
local reader = require "gen.robot.reader"
local turn = require "gen.robot.turn"
local xml = require "gen.robot.xml"

local U = {}

local KINDS = { fixed = "fixed", revolute = "revolute", continuous = "revolute", prismatic = "prismatic", planar = "planar" }

local Reader = reader.kind()

-- numbers of an attribute, as many as asked for
function Reader:numbers(element, name, count, default)
  local text = element and element.attr[name]
  if not text then
    if default == nil then self:refuse(element, "<%s> has no %s", element.tag, name) end
    return default
  end
  local list = xml.numbers(text)
  if not list or #list ~= count then self:refuse(element, '%s="%s" of <%s> is not %d number%s', name, text, element.tag, count, count == 1
    and "" or "s") end
  return list
end

function Reader:number(element, name, default)
  local list = self:numbers(element, name, 1, default ~= nil and { default } or nil)
  return list[1]
end

function Reader:origin(element)
  local o = xml.child(element, "origin")
  local zero = { 0, 0, 0 }
  if not o then return zero, turn.identity end
  return self:numbers(o, "xyz", 3, zero), turn.rpy(table.unpack(self:numbers(o, "rpy", 3, zero)))
end

function Reader:shape(link, collision)
  local g = xml.child(collision, "geometry")
  local what = g and g[1]
  if not what then return end
  local at, R = self:origin(collision)
  local s = { kind = what.tag, at = at, R = R }
  if what.tag == "box" then
    s.size = self:numbers(what, "size", 3)
  elseif what.tag == "sphere" then
    s.radius = self:number(what, "radius")
  elseif what.tag == "cylinder" or what.tag == "capsule" then
    s.radius, s.length = self:number(what, "radius"), self:number(what, "length")
  elseif what.tag == "mesh" then
    local points, why = hull.read(what.attr.filename or "", self.folder, self:numbers(what, "scale", 3, { 1, 1, 1 }))
    if not points then return self:note("the collision mesh of link %s: %s", link.name, why) end
    self:polyhedron(s, points, what.attr.filename, why)
  else
    return self:note("the collision shape <%s> of link %s", what.tag, link.name)
  end
  table.insert(link.shapes, s)
end

function Reader:link(element)
  local link = { name = element.attr.name or self:refuse(element, "<link> has no name"), line = element.line, mass = 0, center = { 0, 0,
    0 },
    inertia = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }, shapes = {} }
  local inertial = xml.child(element, "inertial")
  if inertial then
    local mass, I = xml.child(inertial, "mass"), xml.child(inertial, "inertia")
    local center, R = self:origin(inertial)
    link.mass, link.center = mass and self:number(mass, "value") or 0, center
    if link.mass < 0 then self:refuse(mass, "the mass of link %s is %g", link.name, link.mass) end
    if I then
      local x = {}
      for _, key in ipairs { "ixx", "ixy", "ixz", "iyy", "iyz", "izz" } do x[key] = self:number(I, key, 0) end
      local rows = { { x.ixx, x.ixy, x.ixz }, { x.ixy, x.iyy, x.iyz }, { x.ixz, x.iyz, x.izz } }
      link.inertia = turn.times(turn.times(R, rows), turn.transposed(R))
    end
  end
  for _, c in ipairs(xml.all(element, "collision")) do self:shape(link, c) end
  table.insert(self.robot.links, link)
end

function Reader:joint(element)
  local name = element.attr.name or self:refuse(element, "<joint> has no name")
  local kind = KINDS[element.attr.type or ""]
  if not kind then self:refuse(element,
    "joint %s is of type '%s', which cannot be mapped; write fixed, revolute, continuous, prismatic or planar",
    name, tostring(element.attr.type)) end
  local parent, child = xml.child(element, "parent"), xml.child(element, "child")
  if not (parent and child and parent.attr.link
    and child.attr.link) then self:refuse(element, "joint %s does not name its parent and child", name) end
  local at, R = self:origin(element)
  local axis, limit, dynamics, mimic = xml.child(element, "axis"), xml.child(element, "limit"), xml.child(element, "dynamics"),
    xml.child(element, "mimic")
  local joint = { name = name, line = element.line, kind = kind, parent = parent.attr.link, child = child.attr.link, at = at, R = R,
    axis = axis and self:numbers(axis, "xyz", 3) or { 1, 0, 0 }, damping = dynamics and self:number(dynamics, "damping", 0) or 0 }
  if kind ~= "fixed" and joint.axis[1] == 0 and joint.axis[2] == 0 and joint.axis[3] == 0 then
    self:refuse(axis, "the axis of joint %s has no length", name)
  end
  if limit and element.attr.type ~= "continuous" and kind ~= "fixed" then
    joint.low, joint.high = self:number(limit, "lower", 0), self:number(limit, "upper", 0)
    if joint.low >= joint.high then joint.low, joint.high = nil, nil end
    if limit.attr.effort then self:note "limits of effort (a host bounds what it gives as input)" end
    if limit.attr.velocity then self:note "limits of velocity" end
  end
  if dynamics and self:number(dynamics, "friction", 0) ~= 0 then self:note "dry friction in joints" end
  if mimic then
    joint.mimic = { of = mimic.attr.joint, factor = self:number(mimic, "multiplier", 1), offset = self:number(mimic, "offset", 0) }
  end
  table.insert(self.robot.joints, joint)
end

local SILENT = { link = true, joint = true, transmission = true, material = true }

--- The robot of a parsed file; folder: where its meshes are looked for.
function U.robot(root, file, folder)
  local self = setmetatable({ file = file, folder = folder, noted = {}, robot = { name = root.attr.name or "robot", links = {}, joints = {},
    left_out = {} } }, Reader)
  local driven = {}
  for _, e in ipairs(root) do
    if e.tag:find "^xacro:" then self:refuse(e, "<%s>: this is a xacro file; make URDF of it first (xacro FILE > robot.urdf)", e.tag) end
    if e.tag == "link" then self:link(e) elseif e.tag == "joint" then self:joint(e) end
    if e.tag == "transmission" then
      for _, j in ipairs(xml.all(e, "joint")) do driven[j.attr.name or ""] = true end
    end
    if not SILENT[e.tag] then self:note("<%s> elements", e.tag) end
  end
  for _, j in ipairs(self.robot.joints) do j.motor = driven[j.name] end
  return self.robot
end

return U
