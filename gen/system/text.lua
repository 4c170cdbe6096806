-- A system as text, for people: what `carom gen --dump system` prints. Blocks with their places among positions and velocities, terms and
-- rows as kernels (x0, r1 ... are the blocks of an instance, c0 ... its numbers, p0 ... its parameters) with the number of their instances,
-- the laws of rows, and where instances come from.
local E = require "gen.expr.node"
local print_c = require "gen.expr.print"

local function range(first, count) return count == 1 and ("[%d]"):format(first) or ("[%d..%d]"):format(first, first + count - 1) end

local function plural(n, what) return ("%d %s%s"):format(n, what, n == 1 and "" or "s") end

-- numbers of rows: "0..2, 7"
local function numbers(list)
  local parts, k = {}, 1
  while k <= #list do
    local last = k
    while list[last + 1] == list[last] + 1 do last = last + 1 end
    parts[#parts + 1] = last > k and ("%d..%d"):format(list[k], list[last]) or tostring(list[k])
    k = last + 1
  end
  return #parts > 8 and table.concat(parts, ", ", 1, 6) .. ", ..., " .. parts[#parts] or table.concat(parts, ", ")
end

-- what a row obeys; tangents have the law of their contact
local function law_of(kernel, bilateral)
  if kernel.kind ~= "row" then return "tangent of coulomb" end
  if bilateral then return "equal" end
  local function text(node) return print_c.text(node) end
  local e = text(kernel.restitution)
  if kernel.friction and kernel.friction ~= E.zero then return ("coulomb{mu = %s, e = %s}"):format(text(kernel.friction), e) end
  return ("unilateral{e = %s}"):format(e)
end

-- where instances come from: said one by one, alike in a table, or at the nodes of a boundary
local function source_of(kernel)
  local boundary = kernel.instances[1].boundary
  local lines, seen = {}, {}
  for _, instance in ipairs(kernel.instances) do
    local line = instance.line or 0
    if not seen[line] then
      seen[line] = true
      lines[#lines + 1] = line
    end
  end
  table.sort(lines)
  local kind = boundary and ("nodes(%s)"):format(boundary) or #kernel.instances > 1 and "table" or "list"
  return ("%s of %s, line%s %s"):format(kind, plural(#kernel.instances, "instance"), #lines > 1 and "s" or "", numbers(lines))
end

local function local_blocks(kernel)
  local names = {}
  for k, block in ipairs(kernel.blocks) do names[k] = (block.q[1].name:gsub("_qw$", "")) end
  return table.concat(names, ", ")
end

--- system: name, blocks (blocks.lua), terms and rows (kernels), equal (how many rows are bilateral, the first ones); more_terms, more_rows:
-- lines about what is no kernel, as the cells of a mesh or contacts that are found at run time; order: of blocks that stand otherwise.
return function(system)
  local lines, rows = {}, 0
  local function say(format, ...) lines[#lines + 1] = format:format(...) end
  for _, kernel in ipairs(system.rows) do rows = rows + #kernel.instances end
  say("system %s: %s, %s, %s, %s", system.name, plural(#system.blocks, "block"), plural(system.blocks.nq, "position"),
    plural(system.blocks.nv, "velocity"):gsub("ys$", "ies"), plural(rows, "row"))
  say("blocks")
  if system.order then say("  %s", system.order) end
  for _, block in ipairs(system.order and {} or system.blocks) do
    say("  %-9s %s: q%s, v%s%s", block.kind, block.name, range(block.q_first, #block.q), range(block.v_first, #block.v),
      block.item.line and (", line %d"):format(block.item.line) or "")
  end
  say("terms")
  for _, kernel in ipairs(system.terms) do say("  %s of %s; %s", kernel.kind, local_blocks(kernel), source_of(kernel)) end
  for _, line in ipairs(system.more_terms or {}) do say("  %s", line) end
  say("rows")
  for _, kernel in ipairs(system.rows) do
    local own = {}
    for k, instance in ipairs(kernel.instances) do own[k] = instance.row end
    table.sort(own)
    say("  %s, %s: %s; %s", numbers(own), law_of(kernel, own[1] < system.equal), print_c.text(kernel.args[1]), source_of(kernel))
  end
  for _, line in ipairs(system.more_rows or {}) do say("  %s", line) end
  return table.concat(lines, "\n") .. "\n"
end
