-- carom solve: what it says about problem files. The solvers themselves are tested in tests/test_friction.c and test_lcp*.c.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"
local json = require "gen.util.json"

local place = S.place("solve")
local function solve(words) return fs.capture(fs.quote(S.here) .. "/carom --no-install solve " .. words .. " 2>&1 </dev/null") end

local function problem(name, text)
  local file = place .. "/" .. name .. ".txt"
  assert(fs.write(file, text))
  return fs.quote(file)
end

-- planar contacts on one body: q by contact, W as a table of triplets
local function friction(name, mu, q, W)
  local text = { "dimension 2", "contacts " .. #mu, "mu", table.concat(mu, "\n"), "q", table.concat(q, "\n"), "W " .. #W }
  for _, entry in ipairs(W) do text[#text + 1] = table.concat(entry, " ") end
  return problem(name, table.concat(text, "\n") .. "\n")
end

T.test("velocities of 1e-12 are solved as any others; a floor decides only when asked for, and is told", function()
  local small = friction("small", { 0.3, 0.3 }, { -1e-12, 1e-12, -2e-12, 1e-12 },
    { { 0, 0, 1 }, { 1, 1, 1 }, { 0, 2, 0.5 }, { 2, 0, 0.5 }, { 1, 3, 0.5 }, { 3, 1, 0.5 }, { 2, 2, 1 }, { 3, 3, 1 } })
  local said, code = solve("--json " .. small)
  local answer = json.read(said)
  T.eq(code, 0, said)
  T.ok(answer.residual <= 1e-8 and answer.relative_residual == answer.residual and not answer.floor_decided, said)
  T.near(answer.u[3] / 1e-12, 0, 1e-7, "the second contact closes")
  said, code = solve("--json --floor 1e-3 " .. small)
  answer = json.read(said)
  T.eq(code, 0, said)
  T.ok(answer.floor_decided and answer.residual <= 1e-8 and answer.relative_residual > 0.1, said)
  T.ok(solve("--floor 1e-3 " .. small):find "the floor decided: ", "in words")
  said, code = solve("--floor -1 " .. small)
  T.ok(code == 2 and said:find "%-%-floor", said)
end)

T.test("contacts that close on each other are proved to have no solution, and named", function()
  -- contacts 1 and 2 face each other; 0 is on its own
  local W = { { 0, 0, 1 }, { 1, 1, 1 }, { 2, 2, 1 }, { 3, 3, 1 }, { 4, 4, 1 }, { 5, 5, 1 },
    { 2, 4, -1 }, { 4, 2, -1 }, { 3, 5, 1 }, { 5, 3, 1 } }
  local squeezed = friction("squeezed", { 0.2, 0.3, 0.4 }, { -1, 0.5, -1, 0.1, -1, 0.1 }, W)
  local said, code = solve(squeezed)
  T.eq(code, 1, said)
  T.ok(said:find "NO SOLUTION" and said:find "proof: contacts 1 %(1%) 2 %(1%)" and not said:find "smaller step", said)
  local answer = json.read((solve("--json " .. squeezed)))
  T.eq(#answer.certificate, 3)
  T.near(answer.certificate[1], 0, 1e-12)
  T.near(answer.certificate[2] / answer.certificate[3], 1, 1e-12)
  local apart = friction("apart", { 0.2, 0.3, 0.4 }, { -1, 0.5, -1, 0.1, 1.001, 0.1 }, W)
  said, code = solve(apart)
  T.ok(code == 0 and not said:find "SOL", said)
end)

T.test("an LCP without a solution is told in the words of LCPs", function()
  local said, code = solve(problem("contradiction", "n 2\nM\n0 1\n-1 0\nq\n-1 -1\n"))
  T.eq(code, 1, said)
  T.ok(said:find("proof: rows 1 (1): with these weights y >= 0, y.M <= 0 and y.q < 0, so no z >= 0 makes M z + q >= 0", 1, true), said)
  T.ok(not said:find "impulse" and not said:find "smaller step" and not said:find "inf times", said)
end)

T.test("a contact that nothing moves is no obstacle while it does not close", function()
  local said, code = solve(friction("fixed", { 0.2, 0.3 }, { 0, 0.5, -1, 0.1 }, { { 2, 2, 1 }, { 3, 3, 1 } }))
  T.eq(code, 0, said)
  said, code = solve(friction("fixed", { 0.2, 0.3 }, { -0.1, 0.5, -1, 0.1 }, { { 2, 2, 1 }, { 3, 3, 1 } }))
  T.ok(code == 1 and said:find "NO SOLUTION" and said:find "proof: contacts 0 %(1%),", said)
end)

T.test("an LCP that contradicts itself is proved to; ties of equal rows do not lead Lemke round", function()
  local said, code = solve(problem("contradiction", "n 2\nM\n1 -1\n-1 1\nq\n-1 -1\n"))
  T.ok(code == 1 and said:find "NO SOLUTION" and said:find "proof: rows 0 %(1%) 1 %(1%)", said)
  local rows = {}
  for i = 1, 40 do
    local row = {}
    for j = 1, 40 do row[j] = j < i and 2 or j == i and 1 or 0 end
    rows[i] = table.concat(row, " ")
  end
  local file = problem("murty", "n 40\nM\n" .. table.concat(rows, "\n") .. "\nq\n" .. ("-1 "):rep(40) .. "\n")
  said, code = solve("--json " .. file)
  T.eq(code, 0, said)
  local answer = json.read(said)
  T.near(answer.z[1], 1, 1e-12)
  T.near(answer.w[40], 1, 1e-12)
end)

T.test("a game of two players, which no covering vector of Lemke's solves; solvers by name, all of them in the help", function()
  -- costs 1 + (i*7 + j*5) % 4 and so on: rows of the one player first
  local rows, n = {}, 8
  for i = 1, n do
    local row = {}
    for j = 1, n do row[j] = (i <= 4) ~= (j <= 4) and 1 + (i * 7 + j * 5) % 6 or 0 end
    rows[i] = table.concat(row, " ")
  end
  local file = problem("game", "n 8\nM\n" .. table.concat(rows, "\n") .. "\nq\n" .. ("-1 "):rep(n) .. "\n")
  for _, name in ipairs { "auto", "howson", "newton", "enumerate" } do
    local said, code = solve("--json --solver " .. name .. " " .. file)
    T.eq(code, 0, said)
    local answer = json.read(said)
    T.eq(answer.solver, name)
    for i = 1, n do T.ok(answer.z[i] >= 0 and answer.w[i] > -1e-8 and answer.z[i] * answer.w[i] < 1e-8, said) end
  end
  local said, code = solve("--solver lemke " .. file)
  T.ok(code == 1 and said:find "NOT SOLVED" and said:find "whether there is a solution is not known", said)
  said, code = solve("--solver apgd " .. file)
  T.ok(code == 2 and said:find "for an LCP one of: all auto lemke howson newton enumerate", said)
  said, code = solve("--solver howson " .. problem("no_game", "n 1\nM\n1\nq\n-1\n"))
  T.ok(code == 2 and said:find "solver 'howson' does not apply to this problem", said)
  local help = fs.capture(fs.quote(S.here) .. "/carom --no-install solve --help 2>&1")
  for _, list in pairs(require("gen.cli.solve").solvers) do
    T.ok(#list >= 5)
    for k = 2, #list do T.ok(help:find("\n  " .. list[k] .. " +%w", 1), list[k] .. " in the help") end
  end
end)

S.finish()
