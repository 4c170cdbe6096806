-- Builds and runs the targets for libFuzzer (clang), with the address and undefined sanitizers:
--
--   lua5.4 tests/fuzz/build.lua --target problem|options|mesh|checkpoint --runs 1000000 [--folder DIR] [--seconds N]
--
-- DIR (out/fuzz/NAME) keeps what was found to be interesting; an input that fails is written there and named.
package.path = "./?.lua;" .. package.path
local fs = require "gen.util.fs"

local B = { targets = { "problem", "options", "mesh", "checkpoint" } }

-- first inputs: what the formats look like
local SEEDS = {
  problem = { "dimension 2\ncontacts 2\nmu 0.3 0.5\nq -1 0.1 -1 0.2\nW 6\n0 0 1\n1 1 1\n2 2 1\n3 3 1\n0 2 0.1\n2 0 0.1\n",
    "dimension 3\ncontacts 1\nmu 0.3\nq -1 0.1 0.2\nW 3\n0 0 1\n1 1 1\n2 2 1\n", "n 2\nM 2 1 1 2\nq -1 -1\n", "n 2\n2 1\n1 2\n-1 -1\n" },
  options = { "--step\n1e-3\n--until\n1\n--every\n2\n--json", "--set\nx=1\n--set\nx.dot=-2\n--quiet", "--set=a=1e308\n--result=-\n--help" },
  mesh = { [[
$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
1 1 "bottom"
2 9 "plate"
$EndPhysicalNames
$Nodes
4
1 0 0 0
2 1 0 0
3 1 1 0
7 0 1 0
$EndNodes
$Elements
2
1 1 2 1 1 1 2
2 3 2 9 1 1 2 3 7
$EndElements
]], [[
$MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
1
2 1 "bottom"
$EndPhysicalNames
$Entities
0 0 1 1
1 0 0 0 1 1 0 1 1 0
1 0 0 0 1 1 1 0 0
$EndEntities
$Nodes
1 4 1 4
3 1 0 4
1
2
3
4
0 0 0
1 0 0
0 1 0
0 0 1
$EndNodes
$Elements
2 2 1 2
2 1 2 1
1 1 2 3
3 1 4 1
2 1 2 3 4
$EndElements
]] },
  checkpoint = {}, -- it makes its own
}

-- Square and cube in every format of gmsh, of first and second order, where gmsh is here: more seeds for meshes.
local function gmsh_seeds(corpus)
  if fs.run("command -v gmsh >/dev/null 2>&1") ~= 0 then return end
  local text = { [2] = "Rectangle(1) = {0, 0, 0, 1, 1}; Physical Curve(\"bottom\") = {1}; Physical Surface(\"s\") = {1};",
    [3] = "Box(1) = {0, 0, 0, 1, 1, 1}; Physical Surface(\"bottom\") = {5}; Physical Volume(\"b\") = {1};" }
  for dimension = 2, 3 do
    local geo = ("%s.%d.geo"):format(corpus, dimension)
    assert(fs.write(geo, "SetFactory(\"OpenCASCADE\");\n" .. text[dimension] .. "\nMesh.MeshSizeMin = 1;\n"))
    for _, words in ipairs { "-order 1", "-order 2", "-order 1 -bin", "-order 2 -bin", "-order 1 -parametric -bin" } do
      for _, format in ipairs { "msh22", "msh41" } do
        fs.run(("gmsh -%d %s -format %s %s -o %s >/dev/null 2>&1"):format(dimension, words, format, fs.quote(geo),
          fs.quote(("%s/%d%s%s"):format(corpus, dimension, format, words:gsub("%W", "")))))
      end
    end
  end
end

-- What a target is made of besides its own file: folders (all their files but those named after them), files, the compiler and its words.
-- PETSc's arrays of no length are null, 0 is added to them, and nothing is copied from them.
local PETSC = { "runtime/driver", "runtime/petsc", "runtime/mesh", "runtime/friction" }
local PROGRAMS = { "runtime/solve.c", "runtime/compare.c", "runtime/mesh_lines.c", "runtime/sample.c", "runtime/slot_lines.c" }
local PLAIN = { "runtime", "runtime/friction", "runtime/driver", "runtime/bulk", "runtime/shapes" }
local MADE_OF = {
  problem = { rooms = PLAIN, without = PROGRAMS, files = { "runtime/mesh/shape.c" } },
  options = { rooms = PLAIN, without = PROGRAMS, files = { "tests/fake_model.c", "runtime/mesh/shape.c" } },
  mesh = { rooms = { "runtime/mesh" }, longest = 6000 },
  checkpoint = { rooms = PETSC, without = { "runtime/petsc/main.c", "runtime/petsc/checkpoint.c" }, petsc = true, longest = 20000,
    files = { "tests/large_models.c", "runtime/lcp.c",
      "runtime/lcp_lemke.c" } },
}

local function has(list, name)
  for _, other in ipairs(list or {}) do if other == name then return true end end
end

--- Whether a target can be made here.
function B.can(target)
  return fs.run("command -v clang >/dev/null 2>&1") == 0
    and (not MADE_OF[target].petsc or fs.run("command -v mpicc >/dev/null 2>&1 && pkg-config --exists PETSc 2>/dev/null") == 0)
end

-- The compiler of a target with its words, and what it is linked with.
local function compiler(made)
  local more, libraries = "", ""
  if made.petsc then
    more, libraries = "-fno-sanitize=pointer-overflow,nonnull-attribute $(pkg-config --cflags PETSc)", "$(pkg-config --libs PETSc)"
  end
  return ("%s -std=c11 -Werror=int-conversion -D_POSIX_C_SOURCE=200809L -O1 -g -fsanitize=fuzzer,address,undefined "
    .. "-fno-sanitize-recover=undefined %s -Iruntime/include"):format(made.petsc and "OMPI_CC=clang MPICH_CC=clang mpicc" or "clang", more),
    libraries
end

--- Whether a target is in step with what it reads; what the compiler said.
function B.compiles(target)
  local said, code = fs.capture(("%s -fsyntax-only tests/fuzz/%s.c 2>&1"):format(compiler(MADE_OF[target]), target))
  return code == 0, said
end

--- The program of a target; nil and what the compiler said when it does not compile.
function B.build(target, folder)
  local made = MADE_OF[target]
  local sources = { "tests/fuzz/" .. target .. ".c", table.unpack(made.files or {}) }
  for _, room in ipairs(made.rooms) do
    for _, name in ipairs(fs.list(room)) do
      local path = room .. "/" .. name
      if name:find("%.c$") and not has(made.without, path) then sources[#sources + 1] = path end
    end
  end
  fs.mkdir(folder)
  local program = folder .. "/" .. target
  local command, libraries = compiler(made)
  local said, code = fs.capture(("%s %s -o %s %s -lm 2>&1"):format(command, fs.command(sources), fs.quote(program), libraries))
  if code ~= 0 then return nil, said end
  return program
end

local PETSC_RUN = "env OMPI_MCA_ess_singleton_isolated=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OPENBLAS_NUM_THREADS=1 "
  .. "OMPI_MCA_sharedfp=^sm,lockedfile ASAN_OPTIONS=detect_leaks=0"

--- Runs a target; returns whether all was well, and the last words of the fuzzer.
function B.run(target, runs, options)
  local folder = options.folder or "out/fuzz/" .. target
  local program, why = B.build(target, folder)
  if not program then return false, why end
  local corpus = folder .. "/corpus"
  fs.mkdir(corpus)
  for i, text in ipairs(SEEDS[target]) do assert(fs.write(("%s/seed%d"):format(corpus, i), text)) end
  if target == "mesh" then gmsh_seeds(corpus) end
  -- MPI keeps what it takes until the end, and needs no daemon for one rank
  local said, code = fs.capture(("%s %s -runs=%d -timeout=10 -rss_limit_mb=2048 -max_len=%d -print_final_stats=1 -close_fd_mask=1 %s "
    .. "-artifact_prefix=%s/ %s 2>&1 | tail -n 40"):format(MADE_OF[target].petsc and PETSC_RUN or "",
      fs.quote(program), runs, MADE_OF[target].longest or 2000,
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
