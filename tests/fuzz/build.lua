-- Builds and runs the targets for libFuzzer (clang), with the address and undefined sanitizers:
--
--   lua5.4 tests/fuzz/build.lua --target problem|options --runs 1000000 [--folder DIR] [--seconds N]
--
-- DIR (out/fuzz/NAME) keeps what was found to be interesting; an input that fails is written there and named.
package.path = "./?.lua;" .. package.path
local fs = require "gen.util.fs"

local B = { targets = { "problem", "options" } }

-- first inputs: what the formats look like
local SEEDS = {
  problem = { "dimension 2\ncontacts 2\nmu 0.3 0.5\nq -1 0.1 -1 0.2\nW 6\n0 0 1\n1 1 1\n2 2 1\n3 3 1\n0 2 0.1\n2 0 0.1\n",
    "dimension 3\ncontacts 1\nmu 0.3\nq -1 0.1 0.2\nW 3\n0 0 1\n1 1 1\n2 2 1\n", "n 2\nM 2 1 1 2\nq -1 -1\n", "n 2\n2 1\n1 2\n-1 -1\n" },
  options = { "--step\n1e-3\n--until\n1\n--every\n2\n--json", "--set\nx=1\n--set\nx.dot=-2\n--quiet", "--set=a=1e308\n--result=-\n--help" },
}

local EXTRA = { options = "tests/fake_model.c" }

--- The program of a target; nil and what the compiler said when it does not compile.
function B.build(target, folder)
  local sources = { "tests/fuzz/" .. target .. ".c", EXTRA[target] }
  for _, room in ipairs { "runtime", "runtime/friction", "runtime/driver", "runtime/bulk" } do
    for _, name in ipairs(fs.list(room)) do
      if name:find("%.c$") and not (room == "runtime" and (name == "solve.c" or name == "compare.c")) then
        sources[#sources + 1] = room .. "/" .. name
      end
    end
  end
  fs.mkdir(folder)
  local program = folder .. "/" .. target
  local said, code = fs.capture(("clang -std=c11 -D_POSIX_C_SOURCE=200809L -O1 -g -fsanitize=fuzzer,address,undefined "
    .. "-fno-sanitize-recover=undefined -Iruntime/include %s -o %s -lm 2>&1"):format(fs.command(sources), fs.quote(program)))
  if code ~= 0 then return nil, said end
  return program
end

--- Runs a target; returns whether all was well, and the last words of the fuzzer.
function B.run(target, runs, options)
  local folder = options.folder or "out/fuzz/" .. target
  local program, why = B.build(target, folder)
  if not program then return false, why end
  local corpus = folder .. "/corpus"
  fs.mkdir(corpus)
  for i, text in ipairs(SEEDS[target]) do assert(fs.write(("%s/seed%d"):format(corpus, i), text)) end
  local said, code = fs.capture(("%s -runs=%d -timeout=10 -rss_limit_mb=2048 -max_len=2000 -print_final_stats=1 -close_fd_mask=1 %s "
    .. "-artifact_prefix=%s/ %s 2>&1 | tail -n 40"):format(fs.quote(program), runs,
      options.seconds and "-max_total_time=" .. options.seconds or "", fs.quote(folder), fs.quote(corpus)))
  local good = code == 0 and not said:find("ERROR:", 1, true) and not said:find("runtime error", 1, true) and said:find("Done %d+ runs")
  return good and true or false, said
end

if arg and arg[0] and arg[0]:find("fuzz/build%.lua$") then
  local options = { runs = 100000 }
  for i = 1, #arg, 2 do options[arg[i]:match("^%-%-(%w+)$")] = tonumber(arg[i + 1]) or arg[i + 1] end
  local good, said = B.run(options.target, options.runs, options)
  print(said)
  os.exit(good and 0 or 1)
end
return B
