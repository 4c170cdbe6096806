-- Random numbers that are the same everywhere: splitmix64. A seed gives a model, always the same.
local R = {}
R.__index = R

function R.new(seed) return setmetatable({ state = seed * 0x2545F4914F6CDD1D + 0x1234567 }, R) end

function R:bits()
  self.state = self.state + 0x9E3779B97F4A7C15
  local z = self.state
  z = (z ~ (z >> 30)) * 0xBF58476D1CE4E5B9
  z = (z ~ (z >> 27)) * 0x94D049BB133111EB
  return z ~ (z >> 31)
end

--- From 0 to 1, without 1.
function R:unit() return (self:bits() >> 11) * 2.0 ^ -53 end

function R:integer(low, high) return low + (self:bits() >> 1) % (high - low + 1) end

function R:chance(p) return self:unit() < p end

function R:pick(list) return list[self:integer(1, #list)] end

--- A number of three digits, so that model texts can be read.
function R:number(low, high) return tonumber(("%.3g"):format(low + (high - low) * self:unit())) end

function R:sign() return self:chance(0.5) and 1 or -1 end

return R
