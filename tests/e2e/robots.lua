-- carom import: robots of URDF and MJCF as models that run.
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"
local fs = require "gen.util.fs"
local json = require "gen.util.json"
local large = require "tests.e2e.large"
local turn = require "gen.robot.turn"
local xml = require "gen.robot.xml"

local carom = large.carom

local function import(file, words)
  local out = ("%s/%s.lua"):format(S.folder, file:match "([^/]*)%.%w+$")
  os.remove(out)
  local said, err, code = carom(("import %s %s -o %s"):format(file, words or "", out))
  return out, said, err, code
end

local function text_of(name, text)
  local path = S.folder .. "/" .. name
  assert(fs.write(path, text))
  return path
end

T.test("XML: elements, attributes, entities, comments; what is broken is told with its line", function()
  local root = xml.read('<?xml version="1.0"?>\n<a x="1 &lt; 2" y=\'b>c\'>\n <!-- <no/> --> t<b/><b k="&#65;">u</b></a>', "f")
  T.eq(root.tag, "a")
  T.eq(root.attr.x, "1 < 2")
  T.eq(root.attr.y, "b>c")
  T.eq(#xml.all(root, "b"), 2)
  T.eq(root[2].attr.k, "A")
  T.eq(root[2].line, 3)
  for text, line in pairs { ["<a>\n<b></a>"] = 2, ["<a>\n\n<b x=1/></a>"] = 3, ["<a>\n"] = 1, ["<a/>\n<b/>"] = 2, ["nothing"] = 1,
    ["<a><!-- "] = 1 } do
    local good, why = pcall(xml.read, text, "f")
    T.ok(not good and why.carom and why.file == "f", text)
    T.eq(why.line, line, text)
  end
end)

T.test("angles about fixed axes, quaternions", function()
  local R = turn.rpy(0, 0, math.pi / 2)
  local v = turn.turned(R, { 1, 0, 0 })
  T.near(v[1], 0, 1e-15)
  T.near(v[2], 1, 1e-15)
  v = turn.turned(turn.rpy(0.3, -0.4, 0.5), { 1, 2, 3 })
  local w = turn.turned(turn.about({ 0, 0, 1 }, 0.5), turn.turned(turn.about({ 0, 1, 0 }, -0.4), turn.turned(turn.about({ 1, 0, 0 }, 0.3),
    { 1, 2, 3 })))
  for i = 1, 3 do T.near(v[i], w[i], 1e-14) end
  local Q = turn.quaternion(math.cos(0.2), 0, math.sin(0.2), 0)
  T.near(Q[1][3], math.sin(0.4), 1e-14)
end)

T.test("an arm of six joints: masses and joints are those of the file, and it falls on the ground and lies still", function()
  local model, said, err, code = import("tests/robots/arm6.urdf", "--ground")
  T.eq(code, 0, err)
  T.ok(said:find "7 links, 6 joints" and said:find "limits of velocity", said)
  local text = fs.read(model)
  T.ok(text:find('axis = { 0, 1, 0 }, at = { 0, 0, 0.12 },\n  mass = 6, center = { 0, 0, 0.2 }', 1, true), text)
  T.ok(text:find('m:input("elbow_joint_torque", 0, "N m")', 1, true), "transmissions are inputs")
  local dir = large.out()
  local out
  out, err, code = carom(("run %s --set shoulder_lift_joint=1 --json --out %s"):format(model, dir))
  T.eq(code, 0, err)
  local r = json.read(out)
  for _, joint in ipairs { "shoulder_lift_joint", "elbow_joint", "wrist_1_joint" } do T.near(r.v[joint], 0, 1e-6) end
  T.ok(r.deepest.depth < 0.01, "it sinks in by no more than a step at its speed: " .. r.deepest.depth)
  T.ok(fs.read(dir .. "/report.html"):find '"kind":"capsule"', "and is drawn")
end)

T.test("a robot on four legs stands on the ground with friction: its weight is on its feet", function()
  local model, said, err, code = import("tests/robots/dog.urdf", "--free --ground")
  T.eq(code, 0, err)
  T.ok(said:find "13 links, 12 joints", said)
  local dir = large.out()
  local out
  out, err, code = carom(("run %s --set hold=60 --until 1 --step 2e-3 --json --out %s"):format(model, dir))
  T.eq(code, 0, err)
  local r = json.read(out)
  T.ok(math.abs(r.q.trunk_z - 0.35) < 0.02 and math.abs(r.q.trunk_x) < 0.05, "it stands at " .. r.q.trunk_z)
  local impulse = 0
  for _, name in ipairs { "front_left", "front_right", "hind_left", "hind_right" } do impulse = impulse + r.impulse[name
    .. "_shank_link_sphere_ground"] end
  local mass = 5 + 4 * (0.6 + 0.8 + 0.2)
  T.ok(math.abs(impulse / (mass * 9.81) - 1) < 0.01, "impulse in one second by weight: " .. impulse / (mass * 9.81))
end)

T.test("a leg of MJCF: classes, degrees, fromto, masses of geometries", function()
  local model, said, err, code = import("tests/robots/hopper.xml", "--ground")
  T.eq(code, 0, err)
  T.ok(said:find "4 links, 3 joints", said)
  local text = fs.read(model)
  T.ok(text:find("limits = { -1.0471975", 1, true), "degrees")
  -- a capsule of radius 0.03 and length 0.35, density 800
  local mass = 800 * math.pi * 0.03 ^ 2 * (0.35 + 4 / 3 * 0.03)
  T.ok(text:find(("mass = %.6g"):format(mass):sub(1, -2), 1, true), "mass of the shank " .. mass)
  if T.long then -- a leg of MJCF is run by examples/from_mujoco
    local out
    out, err, code = carom(("run %s --set hold=400 --until 0.5 --json --out %s"):format(model, large.out()))
    T.eq(code, 0, err)
    T.eq(json.read(out).status, "ok")
  end
end)

T.test("the collision mesh of a link is its convex hull; one that is not there is told", function()
  local stl = { "solid box" }
  for x = 0, 1 do for y = 0, 1 do for z = 0, 1 do stl[#stl + 1] = ("vertex %g %g %g"):format(x, y, z) end end end
  text_of("box.stl", table.concat(stl, "\n") .. "\n")
  local file = text_of("lump.urdf", [[<robot name="lump"><link name="lump">
    <inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>
    <collision><origin xyz="-0.05 -0.05 -0.05"/><geometry><mesh filename="box.stl" scale="0.1 0.1 0.1"/></geometry></collision>
    <collision><geometry><mesh filename="package://x/none.stl"/></geometry></collision></link></robot>]])
  local model, said, err, code = import(file, "--free --ground --height 0.2")
  T.eq(code, 0, err)
  T.ok(said:find "convex hull" and said:find "there is no file package://x/none.stl", said)
  local out
  out, err, code = carom(("run %s --until 0.6 --json --out %s"):format(model, large.out()))
  T.eq(code, 0, err)
  T.near(json.read(out).q.lump_z, 0.05, 2e-3) -- a step at 1.7 m/s
end)

-- Two links, the second turned and its joint away from its origin: written in both, with frames as each has them.
local DOUBLE_URDF = [[<robot name="double"><link name="base"/>
  <link name="upper"><inertial><origin xyz="0.1 0 -0.2" rpy="0 0 0.3"/><mass value="2"/>
    <inertia ixx="0.03" iyy="0.02" izz="0.01"/></inertial>
  </link>
  <link name="lower"><inertial><origin xyz="0 0.05 -0.3"/><mass value="1"/><inertia ixx="0.02" iyy="0.03" izz="0.004"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/>
    <dynamics damping="0.1"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0.2 0 -0.4" rpy="0 0 1.5707963267948966"/>
    <axis xyz="1 0 0"/><limit lower="-0.2" upper="1.5" effort="1" velocity="1"/></joint></robot>]]
local DOUBLE_SDF = [[<?xml version="1.0"?><sdf version="1.7"><model name="double">
  <link name="upper"><pose>0 0 0.5 0 0 0</pose>
    <inertial><pose>0.1 0 0.3 0 0 0.3</pose><mass>2</mass><inertia><ixx>0.03</ixx><iyy>0.02</iyy><izz>0.01</izz></inertia></inertial></link>
  <link name="lower"><pose relative_to="elbow_frame">0 0 -0.3 0 0 0</pose>
    <inertial><pose>0 0.05 0 0 0 0</pose><mass>1</mass><inertia><ixx>0.02</ixx><iyy>0.03</iyy><izz>0.004</izz></inertia></inertial></link>
  <frame name="elbow_frame"><pose>0.2 0 0.6 0 0 1.5707963267948966</pose></frame>
  <joint name="shoulder" type="continuous"><parent>world</parent><child>upper</child><pose>0 0 0.5 0 0 0</pose>
    <axis><xyz>0 1 0</xyz><dynamics><damping>0.1</damping></dynamics></axis></joint>
  <joint name="elbow" type="revolute"><parent>upper</parent><child>lower</child><pose>0 0 0.3 0 0 0</pose>
    <axis><xyz expressed_in="__model__">0 1 0</xyz><limit><lower>-0.2</lower><upper>1.5</upper><effort>1</effort></limit></axis></joint>
  <plugin name="p"/></model></sdf>]]

T.test("SDF: the same two links as in URDF move alike, wherever their frames are", function()
  local q = {}
  for i, file in ipairs { text_of("double_urdf.urdf", DOUBLE_URDF), text_of("double_sdf.sdf", DOUBLE_SDF) } do
    local model, said, err, code = import(file, "")
    T.eq(code, 0, err)
    if i == 2 then T.ok(said:find "<plugin>" and said:find "limits of velocity", said) end
    local out
    out, err, code = carom(("run %s --until 0.7 --set shoulder=0.8 --set elbow=0.3 --json --no-report --out %s"):format(model, large.out()))
    T.eq(code, 0, err)
    q[i] = json.read(out).q
  end
  T.ok(math.abs(q[1].elbow - 0.3) > 0.05, "it moves")
  T.near(q[2].shoulder, q[1].shoulder, 1e-9)
  T.near(q[2].elbow, q[1].elbow, 1e-9)
end)

T.test("SDF: a link and the joint above it may have the same name", function()
  local numbers = {}
  for i, name in ipairs { "elbow", "lower" } do
    local model, _, err, code = import(text_of("same.sdf", (DOUBLE_SDF:gsub('<joint name="elbow"', '<joint name="' .. name .. '"'))), "")
    T.eq(code, 0, err)
    numbers[i] = fs.read(model):gsub("[%a_][%w_]*", "")
  end
  T.eq(numbers[2], numbers[1])
end)

-- a box on a stick, which hangs on a frame without mass or is the root itself
local BASE = [[<inertial><origin xyz="0.1 0 0.2"/><mass value="2"/>
  <inertia ixx="0.02" iyy="0.03" izz="0.01" ixy="0.002" ixz="0" iyz="0"/></inertial>
  <collision><origin xyz="0.1 0 0.1"/><geometry><box size="0.2 0.1 0.2"/></geometry></collision>]]
local ARM = [[<link name="arm"><inertial><origin xyz="0 0 0.2"/><mass value="0.5"/><inertia ixx="0.01" iyy="0.01" izz="0.001"
  ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="swing" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0.1 0 0.2"/><axis xyz="0 1 0"/>
  <limit lower="-3" upper="3"/></joint>]]

T.test("a free root without mass takes that of what is fixed to it; axes of fixed joints do not matter", function()
  local q, said = {}, nil
  for i, text in ipairs { '<robot name="r"><link name="base">' .. BASE .. "</link>" .. ARM .. "</robot>",
    '<robot name="r"><link name="frame"/><link name="base">' .. BASE .. "</link>" .. ARM .. [[
    <joint name="weld" type="fixed"><parent link="frame"/><child link="base"/><axis xyz="0 0 0"/>
    <origin xyz="-0.05 0.03 0" rpy="0 0 0"/></joint>
    <link name="finger"/><joint name="knuckle" type="revolute"><parent link="arm"/><child link="finger"/><axis xyz="0 0 1"/></joint>
    </robot>]] } do
    local model, out, err, code
    model, said, err, code = import(text_of(("welded%d.urdf"):format(i), text), "--free --ground --height 0.3")
    T.eq(code, 0, err)
    out, err, code = carom(("run %s --until 0.3 --set swing=0.5 --json --no-report --out %s"):format(model, large.out()))
    T.eq(code, 0, err)
    q[i] = json.read(out).q
  end
  T.ok(said:find "joint knuckle, beyond which nothing has mass", said)
  T.ok(math.abs(q[1].swing - 0.5) > 0.1, "it moves: " .. q[1].swing)
  T.near(q[2].swing, q[1].swing, 1e-6)
  T.near(q[2].frame_z, q[1].base_z, 1e-6)
  T.near(q[2].frame_x, q[1].base_x - 0.05, 1e-6)
end)

T.test("a joint that mimics another starts where that has it, also where the other is held", function()
  local function link(name, mass)
    return ('<link name="%s"><inertial><mass value="%g"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'):format(name, mass)
  end
  local function joint(name, child, more)
    return ('<joint name="%s" type="revolute"><parent link="base"/><child link="%s"/><axis xyz="0 0 1"/>%s</joint>'):format(name,
      child, more)
  end
  local model, said, err, code = import(text_of("mimic.urdf", '<robot name="r"><link name="base"/>' .. link("a", 1) .. link("b", 1)
    .. link("c", 1) .. '<link name="d"/>' .. joint("ja", "a", '<mimic joint="jd" multiplier="2" offset="0.1"/>')
    .. joint("jb", "b", '<mimic joint="jc" multiplier="2" offset="0.1"/>') .. joint("jc", "c", '<limit lower="0.5" upper="0.7"/>')
    .. joint("jd", "d", "") .. "</robot>"))
  T.eq(code, 0, err)
  T.ok(said:find("joint jd, beyond which nothing has mass", 1, true), said)
  local eval, loaded = require("gen.expr.eval").eval, require("gen.lang.core.load").load(model)
  for _, c in ipairs(loaded.coordinates) do T.near(eval(c.initial, {}), ({ ja = 0.1, jb = 1.3, jc = 0.6 })[c.name], 1e-15, c.name) end
end)

T.test("what cannot be a model is refused with its line, and nothing is written", function()
  local head = '<robot name="r">\n<link name="a"/><link name="b"/>\n'
  for text, why in pairs {
    [head .. '<joint name="j" type="floating"><parent link="a"/><child link="b"/></joint></robot>'] = ":3: .*type 'floating'",
    [head .. '<joint name="j" type="fixed"><parent link="a"/><child link="c"/></joint></robot>'] = ":3: .*no link c",
    [head .. "</robot>"] = "both a and b hang on nothing",
    ['<robot name="r"><xacro:property name="x"/></robot>'] = "xacro",
    ["<sdf/>"] = "no <model>",
    ["<world/>"] = "reads URDF",
    ['<sdf><model name="m">\n<link name="a"/>\n<joint name="j" type="screw"/></model></sdf>'] = ":3: .*type 'screw'",
    ['<sdf><model name="m">\n<link name="a"/><link name="b"><pose relative_to="c">0 0 0 0 0 0</pose></link>\n'
      .. '<joint name="j" type="fixed"><parent>a</parent><child>b</child></joint></model></sdf>'] = "relative to c, which is not there",
    [head .. '<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="1 0"/></joint></robot>'] = "is not 3 numbers",
  } do
    local model, _, err, code = import(text_of("bad.urdf", text))
    T.eq(code, 2, text)
    T.ok(err:find(why), err)
    T.ok(not fs.exists(model), "nothing")
  end
end)

S.finish()
