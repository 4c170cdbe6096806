-- What people mean by words that other programs have and carom has not: what to write instead. Spelling alone would lead astray
-- (ln to le, friction to traction).
local M = {}

--- Functions of carom.
M.func = {
  ln = "write carom.log, the natural logarithm", log10 = "write carom.log(x) / math.log(10)", log2 = "write carom.log(x) / math.log(2)",
  arctan = "write carom.atan", arcsin = "write carom.asin", arccos = "write carom.acos", arctan2 = "write carom.atan2(y, x)",
  pow = "write x^y", power = "write x^y", sqr = "write x^2", square = "write x^2", cbrt = "write x^(1/3)",
  sec = "write 1 / carom.cos(x)", csc = "write 1 / carom.sin(x)", cot = "write 1 / carom.tan(x)", mod = "write carom.fmod(x, y)",
  heaviside = "write carom.select(carom.gt(x, 0), 1, 0)", step = "write carom.select(carom.gt(x, 0), 1, 0)",
  sgn = "write carom.sign", signum = "write carom.sign", eq = "expressions are hardly ever equal; write carom.lt or carom.le",
  ["if"] = "write carom.select(carom.lt(a, b), x, y)", where = "write carom.select(carom.lt(a, b), x, y)",
  diff = "write x.dot for the time derivative of a coordinate; forces come from energies", dot = "write x.dot, without brackets",
  e = "write carom.exp(1)", PI = "write carom.pi", Pi = "write carom.pi", rad = "write degrees * carom.pi / 180",
  deg = "write radians * 180 / carom.pi", norm = "write carom.hypot(x, y), or carom.sqrt of a sum of squares",
}

--- Words of a model.
M.word = {
  friction = "it belongs to a contact; write m:contact(name, { gap = ..., friction = ..., slide = ... }), and for a force in a joint "
    .. "m:force or m:dissipation",
  mass = "it belongs to a body; write m:body(name, { mass = ..., at = { x, y } }), m:free_body or m:kinetic_energy",
  inertia = "it belongs to a body; write m:body(name, { mass = ..., inertia = ..., at = { x, y }, angle = ... })",
  particle = "write m:body(name, { mass = ..., at = { x, y } })", point_mass = "write m:body(name, { mass = ..., at = { x, y } })",
  rigid_body = "write m:body in the plane, m:free_body in space", rod = "write m:body, and m:segment or m:capsule for its shape",
  velocity = "write q.dot for the rate of a coordinate q, and velocity = ... in m:coordinate for its start",
  variable = "write m:coordinate(name, { initial = ... }), or m:parameter(name, value)",
  dof = "write m:coordinate(name, { initial = ... })",
  state = "write m:coordinate(name, { initial = ... })", generalized_coordinate = "write m:coordinate(name, { initial = ... })",
  hinge = "write m:joint(name, { type = \"revolute\", ... }) in space; in the plane an angle as coordinate",
  revolute = "write m:joint(name, { type = \"revolute\", ... })", slider = "write m:joint(name, { type = \"prismatic\", ... })",
  prismatic = "write m:joint(name, { type = \"prismatic\", ... })", ball_joint = "write m:joint(name, { type = \"spherical\", ... })",
  weld = "write m:joint(name, { type = \"fixed\", ... })",
  torque = "write m:force(angle, value): a force on an angle is a torque", moment = "write m:force(angle, value)",
  load = "write m:force(coordinate, value)", motor = "write m:force(angle, value)",
  actuator = "write m:input(name) and m:force(coordinate, input)",
  limit = "a limit is a contact; write m:contact(name, { gap = largest - q })",
  stop = "a stop is a contact; write m:contact(name, { gap = ... })",
  wall = "write m:contact(name, { gap = distance }), or m:plane and m:contact_between",
  ground = "write m:contact(name, { gap = height }), or m:plane(name) and m:contact_between",
  floor = "write m:contact(name, { gap = height }), or m:plane(name) and m:contact_between",
  ball = "write m:disk in the plane, m:sphere in space", circle = "write m:disk, or m:arc for what is touched from inside",
  cube = "write m:box(name, { size = { x, y, z } })", line = "write m:segment, or m:plane for one without end",
  impact = "a contact has impacts; write m:contact(name, { gap = ..., restitution = ... })",
  restitution = "it belongs to a contact; write m:contact(name, { gap = ..., restitution = ... })",
  collision = "write m:contact, m:contact_between or m:contacts_among", damping = "write m:damper or m:dissipation",
  lagrangian = "write m:kinetic_energy(T) and m:potential_energy(V)", energy = "write m:kinetic_energy(T) and m:potential_energy(V)",
  equation = "write energies and forces; the equations of motion are made of them",
  simulate = "write m:run { until_time = ..., step = ... }, and start it with: carom run FILE",
  solve = "write m:run { until_time = ..., step = ... }, and start it with: carom run FILE",
  integrate = "write m:run { until_time = ..., step = ... }, and start it with: carom run FILE",
  step = "write m:run { until_time = ..., step = ... }", scheme = "write m:run { scheme = ... }",
  plot = "write m:output(name, expression); results are a csv file", print = "write m:output(name, expression)",
  initial = "write m:coordinate(name, { initial = ..., velocity = ... })",
}

return M
