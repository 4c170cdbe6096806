-- What is known of the models of the folder that show one law of contact each.
package.path = "./?.lua;" .. package.path
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"

T.test("hertz_ball: the elastic one comes back as it came, dampings leave what their closed form says", function()
  for _, form in ipairs { "unrolled", "looped" } do
    local r = S.compile(S.unit("hertz_ball", "D-:M=2", { form = form })):run { step = 1e-5, until_time = 0.02 }
    -- duration 2 sqrt(pi) Gamma(1.4)/Gamma(0.9) d/v = 1.281134935e-2 and the way back since
    T.near(r.q.elastic, 0.02 - 1.281134935e-2, 1e-8, "duration")
    T.near(r.v.elastic, 1, 2e-9, "elastic")
    for damping, c in next, { flores = 1.6, hunt_crossley = 0.75, lankarani_nikravesh = 0.5625 } do
      local back = c * r.v[damping]
      T.near(back + math.log(1 - back), math.log(1 + c) - c, 1e-8, damping)
    end
  end
end)

T.test("grooved_plate: a puck turns into the grooves, and stops where and when it is known to", function()
  for _, way in ipairs { { "D-:M=2", "unrolled", 1e-8 }, { "D-:M=1", "looped", 1e-6 }, { "capture:rk=rk4", "unrolled", 1e-8 } } do
    local plate = S.compile(S.unit("grooved_plate", way[1], { form = way[2] }))
    for _, known in ipairs { { 0.2, 0.695298400541, 0.334146140358, 1.234976142229 },
      { 0.1 * 2 ^ 0.5, (3 ^ 1.5 - 1) / 5.886, nil, 1.295895921022 } } do
      local function run(t) return plate:run { step = 1e-3, until_time = t, set = { "across=" .. known[1] } } end
      local r, power = run(known[4] + 0.1), (known[1] / 0.1) ^ 2
      T.near(r.q.x, known[2], way[3], way[1])
      if known[3] then T.near(r.q.y, known[3], way[3], way[1]) end
      T.eq(r.contacts.plate, "stick", way[1])
      r = run(0.7)
      T.near(r.v.y, r.v.x ^ power, 10 * way[3], way[1])
      T.ok(run(known[4] - 5e-3).v.x > 1e-3, way[1] .. ": not yet")
      T.near(run(known[4] + 5e-3).v.x, 0, 1e-9, way[1] .. ": stands")
    end
  end
end)

T.test("superball: spin becomes speed and speed spin, bounce by bounce", function()
  local function fall(k) return (2 * k + 1) * math.sqrt(2 / 9.81) end
  for _, way in ipairs { { "capture:dg=D-,M=2", "unrolled", 1e-9 }, { "D-:M=1,impact=split", "looped", 1e-9 } } do
    local ball = S.compile(S.unit("superball", way[1], { form = way[2] }))
    for _, law in ipairs { { 1, 0 }, { 1, 2.5 }, { 0.6, -0.3 } } do -- e_t, r phi' at the start
      local slip, speed = 1 + law[2], 1
      for k = 0, 3 do
        speed, slip = speed - 2 / 7 * (1 + law[1]) * slip, -law[1] * slip
        local r = ball:run { step = 0.01, until_time = fall(k) + 0.2, set = { "tangential=" .. law[1], "spin=" .. law[2] / 0.02 } }
        T.near(r.v.x, speed, way[3], way[1])
        T.near(r.outputs.rim, slip - speed, way[3], way[1])
        if law[1] == 1 then T.near(r.outputs.energy / (0.025 * (1 + 0.4 * law[2] ^ 2) + 0.4905), 1, 1e-6, way[1]) end
      end
    end
  end
end)

T.test("stribeck_belt: lets go, and again after each period; a fast belt lets it settle", function()
  local belt = S.compile(S.unit "stribeck_belt")
  for k = 0, 3 do
    local go = 2.3525 + 4.151885294 * k
    for after, known in next, { [go - 2e-5] = "stick", [go + 2e-5] = "slip", [go + 2.384147438 - 2e-5] = "slip",
      [go + 2.384147438 + 2e-5] = "stick" } do
      T.eq(belt:run({ step = 0.01, until_time = after }).contacts.belt, known, "at " .. after)
    end
  end
  T.near(belt:run({ step = 0.01, until_time = 2.3525 + 2.384147438 }).outputs.x, 0.292381072, 1e-7)
  T.near(belt:run({ step = 0.01, until_time = 100, set = { "v_b=2.5" } }).outputs.x, 0.3 * 9.81 / 4, 1e-7, "settled")
  -- coefficients of the last step: order 1
  local h, e = {}, {}
  for i, n in ipairs { 1000, 2000, 4000 } do
    local r = S.run("stribeck_belt", "D-:M=1", { step = 3.5 / n, until_time = 3.5 })
    h[i], e[i] = 1 / n, math.abs(r.q.q0 - belt:run({ step = 0.01, until_time = 3.5 }).q.q0)
  end
  T.near(S.slope(h, e), 1, 0.2, "order")
end)

T.finish()
