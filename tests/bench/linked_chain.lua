-- N links on revolute joints, level at the start: how the cost of a step grows.
local carom = require "carom"
local m = carom.model "linked_chain"

local N, l = m:constant("N", 10), 0.1

m:gravity(0, 0, -9.81)
local last
for i = 1, N do
  last = m:link("joint" .. i, { parent = last, joint = "revolute", axis = { 0, 1, 0 }, at = { last and l or 0, 0, 0 }, mass = 0.1,
    center = { l / 2, 0, 0 }, inertia = { 1e-5, 8e-5, 8e-5 } })
end

m:run { until_time = 1, step = 1e-4, scheme = "D-:M=1" }
return m
