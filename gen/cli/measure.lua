-- What a C package costs as compiled here: code, state, stack, and rules of MISRA C it deviates from. For its README and carom check.

local errors = require "gen.cli.errors"
local fs = require "gen.util.fs"
local program = require "gen.util.program"

local measure = {}

-- words of a command run in a folder; nil when it fails
local function said(folder, command)
  local text, code = fs.capture(("cd %s && { %s ; } 2>&1 </dev/null"):format(fs.quote(folder), command))
  return code == 0 and text or nil
end

local function in_folder(unit, body)
  local folder = fs.need(fs.temporary_dir())
  local good, result = pcall(function()
    fs.need(fs.write_all(folder, unit.files))
    return body(folder)
  end)
  fs.remove_tree(folder)
  if not good then error(result, 0) end
  return result
end

-- The most stack on any path of calls, from gcc's call graph (-fcallgraph-info=su), and where it begins. Calls through pointers (solvers
-- chosen by name) have no edge there.
local function worst_path(text)
  local frame, calls, title = {}, {}, {}
  for name, label in text:gmatch('node: { title: "([^"]*)" label: "([^"]*)"') do
    local bytes = label:match "\\n(%d+) bytes"
    frame[name] = bytes and math.max(tonumber(bytes), frame[name] or 0) or frame[name] or 0
    title[name] = label:match "^[^\\]*"
  end
  for from, to in text:gmatch('edge: { sourcename: "([^"]*)" targetname: "([^"]*)"') do
    calls[from] = calls[from] or {}
    table.insert(calls[from], to)
  end
  local known, most, where = {}, 0, "-"
  local function depth(name)
    if known[name] then return known[name] end
    known[name] = 0 -- there is no recursion; a cycle would end here
    local below = 0
    for _, to in ipairs(calls[name] or {}) do below = math.max(below, depth(to)) end
    known[name] = below + (frame[name] or 0)
    return known[name]
  end
  for name in text:gmatch 'node: { title: "([^"]*)"' do
    if depth(name) > most then most, where = known[name], title[name] end
  end
  return most, where
end

--- Bytes of code, of a state, of the largest frame and of the worst path of calls, and how many deviations from MISRA C:2012 cppcheck
--- counts (nil: it is not here). Needs gcc; compiler: another one, with its flags.
function measure.unit(unit, misra)
  return in_folder(unit, function(folder)
    local compiler = program.compiler()
    local result = { compiler = compiler:match "%-std.*" }
    local names = {}
    local words = {}
    for i, source in ipairs(unit.sources) do
      names[i] = ("m%d.o"):format(i)
      words[i] = ("%s -I. -fstack-usage -fcallgraph-info=su -c %s -o %s"):format(compiler, fs.quote(source), names[i])
    end
    if not said(folder, table.concat(words, " && ")) then
      errors.environment("--measure needs gcc, which tells frames and calls; it is not here or does not compile the model")
    end
    result.code = 0
    for line in (said(folder, "size " .. table.concat(names, " ")) or ""):gmatch "[^\n]+" do
      local text, data = line:match "^%s*(%d+)%s+(%d+)"
      if text then result.code = result.code + text + data end
    end
    local frames = fs.capture(("cat %s/*.su"):format(fs.quote(folder)))
    result.frame, result.frame_of = 0, "-"
    for name, bytes in frames:gmatch "([^:%s]+)\t(%d+)\t" do
      if tonumber(bytes) > result.frame then result.frame, result.frame_of = tonumber(bytes), name end
    end
    result.stack, result.stack_of = worst_path(fs.capture(("cat %s/*.ci"):format(fs.quote(folder))))
    fs.need(fs.write(folder .. "/size.c", ('#include "%s.h"\n#include <stdio.h>\n'
      .. 'int main(void) { printf("%%zu\\n", sizeof(%s)); return 0; }\n')
      :format(unit.name, unit.name)))
    result.state = tonumber(said(folder, compiler .. " -I. size.c -o size_of && ./size_of"))
    if misra and fs.run "command -v cppcheck >/dev/null 2>&1" == 0 then
      local text = fs.capture(("cd %s && cppcheck --addon=misra --std=c11 -I. -q %s 2>&1 </dev/null"):format(fs.quote(folder),
        fs.quote(unit.sources[1])))
      local rules, list = {}, {}
      result.misra = 0
      for rule in text:gmatch "misra%-c2012%-([%d.]+)" do
        if not rules[rule] then list[#list + 1] = rule end
        rules[rule] = (rules[rule] or 0) + 1
        result.misra = result.misra + 1
      end
      table.sort(list, function(a, b) return rules[a] > rules[b] or rules[a] == rules[b] and a < b end)
      for i, rule in ipairs(list) do list[i] = ("%s (%d)"):format(rule, rules[rule]) end
      result.rules = table.concat(list, ", ")
    end
    return result
  end)
end

--- Rows { what, value } of what was measured.
function measure.rows(m)
  local rows = {
    { "code and constants", ("%d bytes"):format(m.code) },
    { "a state", ("%d bytes"):format(m.state) },
    { "largest frame", ("%d bytes (`%s`)"):format(m.frame, m.frame_of) },
    { "stack at most", ("%d bytes (`%s`), without libm and calls through pointers"):format(m.stack, m.stack_of) },
  }
  if m.misra then rows[5] = { "deviations from rules of MISRA C:2012", ("%d by cppcheck's addon: %s"):format(m.misra, m.rules) } end
  return rows
end

--- A section for the README of a package.
function measure.section(m)
  local lines = { "", "## As compiled here", "", "With `" .. m.compiler .. "` on this machine:", "", "| | |", "|---|---|" }
  for _, row in ipairs(measure.rows(m)) do lines[#lines + 1] = ("| %s | %s |"):format(row[1], row[2]) end
  return table.concat(lines, "\n") .. "\n"
end

return measure
