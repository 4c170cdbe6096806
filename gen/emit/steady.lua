-- What of the looped form never changes, and G v by kernels. Numbers that depend on parameters and data alone are made once, by derive.
local S = {}

local FIXED = { const = true, param = true, data = true }
local WIDE = 12 -- velocities of a row beyond which its product with G is a loop

--- Do nodes depend on parameters and the data of instances alone?
function S.fixed(nodes)
  local known = {}
  local function go(node)
    if known[node] == nil then
      local good = node.op == "sym" and FIXED[node.kind] or node.op ~= "sym" and node.op ~= "part"
      for i = 1, #node do good = good and go(node[i]) end
      known[node] = good or false
    end
    return known[node]
  end
  for _, node in ipairs(nodes) do if not go(node) then return false end end
  return true
end

-- where the k-th velocity of a kernel stands in the vectors of the system
local function velocity(kernel, k, place)
  for b, block in ipairs(kernel.blocks) do
    if k <= #block.v then return place(kernel, "v", b, k) end
    k = k - #block.v
  end
end

--- Lines of y = G x over kernels of rows; place(kernel, "v", b, k) is where the k-th velocity of block b stands in x, Gp and Gj the
--- pattern of G.
function S.product(kernels, place, Gp, Gj)
  local lines = {}
  local function say(text, ...) lines[#lines + 1] = text:format(...) end
  for _, kernel in ipairs(kernels) do
    local row = kernel.tables:at(kernel.id .. "_row", 1)
    say("for (int i = 0; i < %d; ++i) {", #kernel.instances)
    if #kernel.G > WIDE then
      say("double sum = 0.0;")
      say("for (int k = %s[%s]; k < %s[%s + 1]; ++k) {", Gp, row, Gp, row)
      say("sum += c->G[k] * x[%s[k]];", Gj)
      say("}")
      say("y[%s] = sum;", row)
    else
      local sum, read = {}, false
      for k, g in ipairs(kernel.G) do
        local one = g.op == "num" and (g.value == 1 and "" or g.value == -1 and "-")
        read = read or not one
        sum[k] = (one or ("G[%d] * "):format(k - 1)) .. ("x[%s]"):format(velocity(kernel, k, place))
      end
      if read then say("const double *const G = c->G + %s[%s];", Gp, row) end
      say("y[%s] = %s;", row, #sum > 0 and (table.concat(sum, " + "):gsub("%+ %-", "- ")) or "0.0")
    end
    say("}")
  end
  return lines
end

--- Lines of share += G^T y over the same kernels, none of which has a wide row: what S.product does, the other way round.
function S.columns(kernels, place, Gp)
  local lines = {}
  local function say(text, ...) lines[#lines + 1] = text:format(...) end
  for _, kernel in ipairs(kernels) do
    local row = kernel.tables:at(kernel.id .. "_row", 1)
    say("for (int i = 0; i < %d; ++i) {", #kernel.instances)
    for k, g in ipairs(kernel.G) do
      local one = g.op == "num" and (g.value == 1 and "+=" or g.value == -1 and "-=")
      if one then
        say("share[%s] %s y[%s];", velocity(kernel, k, place), one, row)
      else
        say("share[%s] += c->G[%s[%s] + %d] * y[%s];", velocity(kernel, k, place), Gp, row, k - 1, row)
      end
    end
    say("}")
  end
  return lines
end

local NEAR = 4 -- rows that a row may be coupled with on either side

--- Contacts in a row: how far apart rows are that share an unknown, by their numbers, where that is not far; columns: of each row.
function S.near(columns)
  local first, band = {}, 0
  for row, list in ipairs(columns) do
    for _, c in ipairs(list) do
      first[c] = first[c] or row
      band = math.max(band, row - first[c])
    end
  end
  return band > 0 and band <= NEAR and #columns > 2 * band + 1 and band
end

return S
