-- Runs a slider-crank with a few coefficients of restitution, and with friction that begins on the way.
local crank = require "model" "./out/slider_crank/libslider_crank.so"

local m = crank():run(0.02, 1e-5)
print(("t = %g, the crank turned by %.5f rad"):format(m.t, m.theta1))
for _, restitution in ipairs { 0, 0.4, 0.8 } do
  m = crank { restitution = restitution }:run(0.02, 1e-5)
  print(("restitution %.1f: %.6f N s at the first corner"):format(restitution, m["corner1.impulse"]))
end
m.friction = 0.1
print(("and to t = %g with friction: %.5f rad"):format(m:run(0.03, 1e-5).t, m.theta1))
print(select(2, pcall(crank, { m1 = -1 })))
