-- Poisson's restitution by brute force: every choice of contacts whose normal impulse is just the part of the compression that comes
-- back is tried, until one is found in which these do not close and the others press at least as much.
local contact = require "tests.oracle.contact"

--- given: as contact.solve had it, r: what it gave; hit (set of normals), e (by normal). Returns the impulses of both phases, or nil.
return function(given, r, hit, e)
  local n, list, least = #r, {}, {}
  local u = {}
  for i = 1, n do
    u[i] = given.b[i]
    for j = 1, n do if given.set[i] and given.set[j] then u[i] = u[i] + given.W[i][j] * r[j] end end
  end
  for j = given.bilateral + 1, given.gaps do
    if given.set[j] and hit[j] and r[j] > 0 and e[j] > 0 then
      list[#list + 1], least[j] = j, e[j] * r[j]
    end
  end
  if #list == 0 then return r end
  for choice = (1 << #list) - 1, 0, -1 do
    local held = {}
    for k, j in ipairs(list) do held[j] = choice >> (k - 1) & 1 == 1 end
    local W, b = {}, {}
    for i = 1, n do
      W[i], b[i] = {}, held[i] and -given.W[i][i] * least[i] or u[i]
      for j = 1, n do
        W[i][j] = (i == j or not held[i] and not held[j]) and given.W[i][j] or 0.0
        if held[j] and not held[i] then b[i] = b[i] + (given.W[i][j] or 0.0) * least[j] end
      end
    end
    local more = contact.solve { W = W, b = b, set = given.set, bilateral = given.bilateral, gaps = given.gaps, tangents = given.tangents,
      rides = given.rides, mu = given.mu }
    local good = more ~= nil
    for _, j in ipairs(good and list or {}) do
      local speed, size = u[j], math.abs(u[j])
      for i = 1, n do
        if given.set[i] then speed, size = speed + given.W[j][i] * more[i], size + math.abs(given.W[j][i] * more[i]) end
      end
      if held[j] then good = good and speed >= -1e-11 * size else good = good and more[j] >= least[j] * (1 - 1e-11) end
    end
    if good then
      local sum = {}
      for i = 1, n do sum[i] = r[i] + (given.set[i] and more[i] or 0.0) end
      return sum
    end
  end
end
