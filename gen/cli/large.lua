-- Finite-element models: which path a run takes, the program for large models (built with PETSc, the runtime's objects and the
-- program kept in the cache), and how it is started on several ranks.

local args = require "gen.util.args"
local build = require "gen.cli.build"
local errors = require "gen.cli.errors"
local fs = require "gen.util.fs"

local large = {}

local PACKAGES = "libpetsc-real-dev pkg-config"

-- -fno-math-errno lets square roots be vector instructions; it changes no result
local FLAGS = "-std=c11 -O3 -ffp-contract=off -fno-math-errno"

--- Options of `carom run` that only meshes have.
large.options = {
  { "--path", value = "small|petsc", text = "meshes: run as a small model, or with the runtime on PETSc (default: by size)" },
  { "--ranks", value = "N", text = "meshes: start N processes with mpiexec (implies --path petsc)" },
  { "--cfl", value = "C", text = "meshes: step = C dx / wave speed, with dx the mean edge of the cells" },
  { "--frames", value = "N", text = "meshes: write N pictures of the run (VTU files and a PVD list)" },
}

--- Has the model a mesh?
function large.is(loaded) return #(loaded.meshes or {}) > 0 end

local function whole(options, key, name, least)
  local text = options[key]
  if not text then return end
  local n = args.number(text, name)
  if n < least or n % 1 ~= 0 then args.fail("%s %s is not a whole number of at least %d", name, text, least) end
end

-- Hundreds of processes on one machine are a slip of the finger; a queueing system may have given more than one machine.
local CROWD = 16 -- times the processors
local function too_many(ranks)
  local processors = tonumber(fs.capture("getconf _NPROCESSORS_ONLN 2>/dev/null") or "") or 1
  if not ranks or tonumber(ranks) <= CROWD * processors then return end
  for _, name in ipairs { "SLURM_JOB_ID", "PBS_NODEFILE", "LSB_JOBID", "PE_HOSTFILE", "OMPI_MCA_orte_default_hostfile" } do
    if os.getenv(name) then return end
  end
  args.fail("--ranks %s, but this machine has %d processor%s; write fewer", ranks, processors, processors == 1 and "" or "s")
end

--- Checks the options against the model; returns "small", "petsc" or, when neither was asked for, nil.
function large.asked(options, loaded, words)
  local only_petsc = options.ranks and "--ranks"
  if words[1] then only_petsc = words[1] end
  if not large.is(loaded) then
    local name = only_petsc or options.frames and "--frames" or options.path and "--path" or options.cfl and "--cfl"
    if name == words[1] and name then args.fail("carom run takes one MODEL; '%s' is too much", name) end
    if name then args.fail("%s is for models with a mesh; %s has none", name, loaded.name) end
    return nil
  end
  if options.path and options.path ~= "small" and options.path ~= "petsc" then
    args.fail("--path %s: write small or petsc", options.path)
  end
  if options.path == "small" and only_petsc then args.fail("%s is not for the small path; leave one of the two out", only_petsc) end
  if options.step and options.cfl then args.fail("--step and --cfl both give the step; keep one of the two") end
  whole(options, "ranks", "--ranks", 1)
  too_many(options.ranks)
  whole(options, "frames", "--frames", 0)
  if options.cfl and args.number(options.cfl, "--cfl") <= 0 then args.fail("--cfl %s is not positive", options.cfl) end
  return only_petsc and "petsc" or options.path or options.resume and large.path_of(options.resume)
end

--- Which path a saved state belongs to, by the head of its file; nil: it does not say.
function large.path_of(file)
  local f = io.open(file, "rb")
  local head = f and f:read(21)
  if f then f:close() end
  local back_end = head and head:match "^carom state %d+\n%z+(%a+)"
  return back_end and (back_end == "PETSc" and "petsc" or "small")
end

-- Why the small path does not run a mesh that is small enough for it: a text, or nil and the unit.
local function refused_small(pipeline, loaded, settings)
  local good, unit = pcall(pipeline.compile, loaded, settings)
  if good then return nil, unit end
  if type(unit) ~= "table" or not unit.carom then error(unit, 0) end
  return (unit.file and unit.line and ("%s:%d: "):format(unit.file, unit.line) or "") .. unit.message
end

--- The unit of a mesh model, its path (as asked, or small where the mesh is small and the small path can run it) and, when a small mesh
--- goes to PETSc because the small path refuses it, why.
function large.unit(pipeline, loaded, asked, settings, options)
  local run = loaded.run
  if options.cfl and asked ~= "petsc" then run.step, run.cfl = nil, tonumber(options.cfl) end
  if asked == "small" then return pipeline.compile(loaded, settings), "small" end
  local why, unit
  if not asked and pipeline.fits_small(loaded) then
    why, unit = refused_small(pipeline, loaded, settings)
    if unit then return unit, "small" end
  end
  if settings.form then args.fail("--form %s is not for meshes on PETSc; leave it out, or write --path small", settings.form) end
  local good, made = pcall(pipeline.compile_large, loaded, settings)
  if good then return made, "petsc", why end
  if why and type(made) == "table" and made.carom and not why:find(made.message, 1, true) then
    made.message = ("%s (nor does the small path run it: %s)"):format(made.message, why)
  end
  error(made, 0)
end

--- The unit that tells most about a model without running it: of a mesh that of the large path, where its scheme is one for it.
function large.described(pipeline, loaded, settings)
  if not large.is(loaded) then return pipeline.compile(loaded, settings) end
  local good, unit = pcall(pipeline.compile_large, loaded, settings)
  if not good then
    if type(unit) ~= "table" or not unit.carom then error(unit, 0) end
    return pipeline.compile(loaded, settings)
  end
  local why = pipeline.fits_small(loaded) and refused_small(pipeline, loaded, settings)
  local path = not pipeline.fits_small(loaded) and "PETSc" or why and "PETSc; the small path does not run it: " .. why or "small"
  table.insert(unit.summary, 3, { label = "path", text = path })
  return unit
end

-- what a shell command says, without the last newline; nil when it fails
local function said(command)
  local text, code = fs.capture(command .. " 2>/dev/null")
  return code == 0 and text:gsub("%s+$", "") or nil
end

local function find_petsc()
  local compiler = said "mpicc --version"
  local flags = compiler and (said "pkg-config --cflags --libs PETSc" or said "pkg-config --cflags --libs petsc")
  return flags and { compiler = compiler, flags = flags, version = said "pkg-config --modversion PETSc" or "" }
end

-- PETSc and the compiler for it. The launcher knows how to install what is missing, where it may.
local function petsc()
  local found = find_petsc()
  if not found and fs.run(fs.quote(fs.root .. "/carom") .. " --need-petsc") == 0 then found = find_petsc() end
  if found then return found end
  return errors.environment("a model of this size needs PETSc, which is not here; install it with: apt-get install %s "
    .. "(a small mesh runs without it: --path small)", PACKAGES)
end

-- The processor as the compiler sees it: a program made for one may not run on another that shares the cache.
local function native()
  local target = said "mpicc -march=native -dM -E -x c /dev/null"
  return target and " -march=native" or "", target or ""
end

--- The files of the runtime that the program takes, relative to runtime/.
function large.runtime()
  local files = { "include/carom/cells.h", "include/carom/collide.h", "include/carom/driver.h", "include/carom/friction.h",
    "include/carom/geometry.h", "include/carom/large.h", "include/carom/law.h", "include/carom/lcp.h", "include/carom/lemke.h",
    "include/carom/model.h", "include/carom/plan.h", "include/carom/room.h", "include/carom/rotation.h", "include/carom/status.h", "lcp.c",
      "lcp_lemke.c" }
  for _, folder in ipairs { "driver", "friction", "mesh", "petsc", "shapes" } do
    for _, name in ipairs(fs.list(fs.root .. "/runtime/" .. folder)) do files[#files + 1] = folder .. "/" .. name end
  end
  return files
end

--- What compiles and links against PETSc: the command, flags and libraries as lists, and a text that changes with any of them.
function large.toolchain()
  local found = petsc()
  local march, target = native()
  local own = os.getenv("CAROM_CFLAGS") or ""
  local compiler = "mpicc " .. FLAGS .. march .. (own == "" and "" or " " .. own)
  local cflags, libraries = {}, {}
  for word in found.flags:gmatch("%S+") do
    local list = word:find("^%-[lL]") and libraries or cflags
    list[#list + 1] = word
  end
  return compiler, cflags, libraries, table.concat({ compiler, found.compiler, found.flags, found.version, target }, "\n")
end

--- The executable of a large unit; returns its path, whether it had to be compiled, and a function that removes what could not
--- be kept.
function large.executable(unit)
  local compiler, cflags, libraries, identity = large.toolchain()
  local root = build.absolute(fs.root) .. "/runtime/"
  local names, paths, headers, sources = large.runtime(), {}, { identity }, {}
  for i, name in ipairs(names) do paths[i] = root .. name end
  local digests, why_not = build.digests(paths)
  if not digests then errors.environment("carom is not complete: %s", why_not) end
  for i, name in ipairs(names) do
    if name:find("%.h$") then headers[#headers + 1] = digests[i] end
    if name:find("%.c$") then
      sources[#sources + 1] = { label = name:gsub("%.c$", ""):gsub("/", "_"), path = paths[i], digest = digests[i] }
    end
  end
  local common = build.fingerprint(headers)
  local parts = { common, unit.files[1].text }
  for _, source in ipairs(sources) do
    source.key = build.fingerprint { common, source.digest }
    parts[#parts + 1] = source.key
  end
  return build.cached(unit.name, build.fingerprint(parts), function(folder, where)
    local written, why = fs.write_all(folder, { unit.files[1] })
    if not written then errors.environment("%s", why) end
    local including = ("%s -I%s"):format(compiler, fs.quote(root .. "include"))
    local objects = build.kept_objects(folder, where, including .. " " .. table.concat(cflags, " "), sources)
    build.compile(folder, ("%s -o carom_run %s %s %s -lm"):format(including, fs.quote(unit.sources[1]), fs.command(objects),
      table.concat(libraries, " ")))
  end)
end

--- The words for pictures of a mesh.
function large.pictures(options, run, out)
  local list = { "--frames", options.frames or ("%d"):format((run or {}).frames or 0) }
  if out ~= "-" then list[3], list[4] = "--frames-dir", out .. "/frames" end
  return list
end

-- the words for the program's own options, after those that every driver knows
local function own_words(options, out)
  local list = {}
  local function add(...) for _, w in ipairs { ... } do list[#list + 1] = w end end
  if options.cfl then add("--cfl", options.cfl) end
  if out ~= "-" and not options.checkpoint then add("--checkpoint", out .. "/checkpoint") end
  return list
end

-- Settings for the MPI libraries, harmless where they mean nothing: one thread per rank, more ranks than cores and the user
-- root are allowed, no complaints about a machine without /sys, quiet endings, ranks that wait give way, no copying that containers forbid,
-- no daemon beside a single rank (one whose rank was killed lived on and filled the memory).
local SETTINGS = {
  "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1", "HWLOC_HIDE_ERRORS=2", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
  "OMPI_MCA_rmaps_base_oversubscribe=1", "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe", "OMPI_MCA_orte_execute_quiet=1",
  "OMPI_MCA_btl_vader_single_copy_mechanism=none", "OMPI_MCA_mpi_yield_when_idle=1", "OMPI_MCA_ess_singleton_isolated=1",
}

-- Single ranks without a daemon would all have the same folder of Open MPI, which the first that ends takes away from the others: they do
-- without it and without what lives in it.
local ALONE = { "OMPI_MCA_orte_create_session_dirs=false", "OMPI_MCA_sharedfp=^sm" }

-- mpiexec answers Ctrl-C by killing the ranks; it hands on SIGUSR1, which lets them finish the step and write a checkpoint. So it
-- stands in a session of its own, and this script turns Ctrl-C, kill and the end of carom into that signal.
local WATCH = [[
setsid "$@" &
job=$! asked=
trap 'asked=130; kill -USR1 $job' INT
trap 'asked=143; kill -USR1 $job' TERM HUP
while wait $job; code=$?; kill -0 $job 2> /dev/null; do :; done
[ $code -ne 138 ] || code=${asked:-138}
exit $code]]

--- The whole command: how the program is started, the words that every driver knows, its own.
function large.command(driver_words, options, out)
  local list = { "env", table.unpack(SETTINGS) }
  if tonumber(options.ranks or 1) > 1 then
    local with_parent = said "setpriv --pdeathsig TERM true" and { "setpriv", "--pdeathsig", "TERM" } or {}
    table.move(with_parent, 1, #with_parent, #list + 1, list)
    table.move({ "sh", "-c", WATCH, "carom", "mpiexec", "-n", options.ranks }, 1, 7, #list + 1, list)
  else
    table.move(ALONE, 1, #ALONE, #list + 1, list)
  end
  table.move(driver_words, 1, #driver_words, #list + 1, list)
  local own = own_words(options, out)
  return table.move(own, 1, #own, #list + 1, list)
end

return large
