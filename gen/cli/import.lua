-- carom import: a robot's file as a model.

local args = require "gen.util.args"
local errors = require "gen.cli.errors"
local fs = require "gen.util.fs"
local names = require "gen.lang.core.names"
local write = require "gen.robot.write"
local xml = require "gen.robot.xml"

local import = {
  name = "import",
  usage = "carom import FILE [--free] [--ground] [--height H] [--out MODEL.lua]",
  summary = "write a model file from a robot's file (URDF, MJCF, SDF)",
  text = [[
Reads URDF, MJCF or SDF and writes a model file that can be read and changed: links with their masses and inertias, joints with limits
and damping, mimicking joints as constraints, transmissions (actuators, joints of SDF) as inputs, collision shapes, meshes (STL, OBJ) as
convex polyhedra. What the file says and a model cannot is listed at the top of the model and printed.

The root stands on the ground unless told --free. With --ground there is a floor, z = 0, that all shapes touch with friction; a free robot
then starts where it just stands on it, or --height above. The parameter hold of the model, a stiffness, keeps all joints near where they
start: carom run MODEL.lua --set hold=500.]],
  options = {
    { "--free", text = "the root moves freely (default: it is held)" },
    { "--ground", text = "a floor, z = 0, that all collision shapes touch" },
    { "--height", value = "H", text = "of the root at the start, with --free" },
    { "--out", short = "-o", value = "FILE", text = "the model file (default: the robot's name, with .lua, in the present folder)" },
  },
}

local READERS = { robot = "gen.robot.urdf", mujoco = "gen.robot.mjcf", sdf = "gen.robot.sdf" }

function import.run(options)
  local file = options[1] or args.fail("carom import needs a FILE: URDF, MJCF or SDF")
  if options[2] then args.fail("carom import takes one FILE; '%s' is too much", options[2]) end
  local text, why = fs.read(file)
  if not text then errors.environment("cannot read %s: %s", file, why or "it is not there") end
  local height = options.height and args.number(options.height, "--height")
  if height and not options.free then args.fail("--height is for a robot that moves freely; write --free, too") end
  local root = xml.read(text, file)
  local reader = READERS[root.tag]
  if not reader then
    args.fail("%s begins with <%s>; carom import reads URDF (<robot>), MJCF (<mujoco>) and SDF (<sdf>)", file, root.tag)
  end
  local robot = require(reader).robot(root, file, file:match "^(.*)/[^/]*$" or ".")
  options.free = options.free or robot.free
  local out = options.out or robot.name:gsub("[^%w_]", "_") .. ".lua"
  local name = (out:match "([^/]*)%.lua$" or args.fail("--out %s: write a name that ends with .lua", out)):gsub("[^%w_]", "_")
  local refused, instead = names.refusal(name)
  if refused then args.fail("the name '%s' %s; %s, with --out", name, refused, instead) end
  if fs.exists(out) then args.fail("%s is there already; remove it, or choose another name with --out", out) end
  local model = write(robot, { name = name, file = file:match "[^/]+$", free = options.free, ground = options.ground, height = height,
    refusal = names.refusal })
  fs.need(fs.write(out, model))
  print(("%s: %d links, %d joints"):format(out, #robot.links, #robot.joints))
  if #robot.left_out > 0 then print("left out:\n  " .. table.concat(robot.left_out, "\n  ")) end
  return 0
end

return import
