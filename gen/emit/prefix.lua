-- The prefix of all emitted names is a type and a file name in C: it must not be one of the C library's, of the templates' own or of a
-- file that goes with it.
local algorithms = require "gen.emit.algorithms"

local P = {}

-- What the headers declare that emitted C and its example include (C11 7.12, 7.21 to 7.24, 7.27, and types of 7.19, 7.20), and the
-- names of the standard headers: <math.h> must not find math.h of a model.
local library = {}
for word in ([[acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 frexp ilogb ldexp log log10 log1p log2
  logb modf scalbn scalbln cbrt fabs hypot pow sqrt erf erfc lgamma tgamma ceil floor nearbyint rint lrint llrint round lround llround
  trunc fmod remainder remquo copysign nan nextafter nexttoward fdim fmax fmin fma]]):gmatch("%S+") do
  library[word], library[word .. "f"], library[word .. "l"] = true, true, true
end
for word in ([[main j0 j1 jn y0 y1 yn gamma signgam float_t double_t
  size_t ssize_t ptrdiff_t max_align_t intptr_t uintptr_t intmax_t uintmax_t va_list fpos_t FILE div_t ldiv_t lldiv_t time_t clock_t tm
  int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t off_t
  remove rename tmpfile tmpnam fclose fflush fopen freopen setbuf setvbuf fprintf fscanf printf scanf snprintf sprintf sscanf vfprintf
  vprintf vsnprintf vsprintf vscanf vfscanf vsscanf fgetc fgets fputc fputs getc getchar putc putchar puts ungetc fread fwrite fgetpos
  fseek fsetpos ftell rewind clearerr feof ferror perror getline dprintf fileno popen pclose
  atof atoi atol atoll strtod strtof strtold strtol strtoll strtoul strtoull rand srand aligned_alloc calloc free malloc realloc abort
  atexit at_quick_exit exit quick_exit getenv system bsearch qsort abs labs llabs div ldiv lldiv
  memcpy memmove strcpy strncpy strcat strncat memcmp strcmp strcoll strncmp strxfrm memchr strchr strcspn strpbrk strrchr strspn
  strstr strtok memset strerror strlen clock difftime mktime time timespec timespec_get asctime ctime gmtime localtime strftime signal
  raise assert index rindex
  complex ctype fenv float inttypes iso646 limits locale math setjmp stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib
  stdnoreturn string tgmath threads uchar wchar wctype unistd errno features]]):gmatch("%S+") do
  library[word] = true
end

local function refuse(name, model, why)
  if name ~= model.name then
    error({ usage = true, message = ("--prefix %s: this is a name that %s; give another, e.g. %s_model"):format(name, why, name) }, 0)
  end
  error({ carom = true, file = model.file, line = model.line,
    message = ("'%s' is a name that %s; call the model otherwise, e.g. %s_model, or give --prefix"):format(name, why, name) }, 0)
end

--- Refuses a prefix that is a name of the C library or of the runtime.
function P.reserved(name, model)
  if library[name] or name:lower() == "carom" or name:find("^carom_") or name:find("^Carom%u") then
    refuse(name, model, library[name] and "the C library uses itself" or "carom's runtime may use itself")
  end
end

-- Does C (or a template of it) use a name for something of its own? What stands in comments, texts and markers does not count.
local function uses(text, name)
  local c = text:gsub("/%*.-%*/", ""):gsub("//@[^\n]*", ""):gsub('"[^"\n]*"', '""'):gsub("%${[^}]*}", ""):gsub("CAROM%([%w_]*%)", "")
  return c:find("%f[%w_]" .. name .. "%f[^%w_]") and c
end

--- The same for a mesh on PETSc, whose C is not looked at; read(path) gives its templates.
function P.refuse_used(name, model, read)
  P.reserved(name, model)
  local text = read("templates/large.c.in")
  local used = uses(text, name) or uses(read("templates/cells.c.in"), name)
  for _, algorithm in ipairs(algorithms.with_model(text, read)) do used = used or uses(algorithm, name) end
  if used then refuse(name, model, "the generated C uses itself") end
end

-- C that sees the prefix: of the unit, its example, headers of the runtime; and without fields of structs, which have a list of names of
-- their own. Files of the runtime that are compiled by themselves do not see it.
local function seen(name, own, file)
  local its = file.name == own .. ".c" or file.name == own .. ".h" or file.name == "example_main.c" or file.name:find("^carom/")
  local c = its and uses(file.text, name)
  return c and c:gsub("struct[%s%w_]*%b{}", ""):gsub("%->%s*[%a_][%w_]*", ""):gsub("([^%w_])%.%s*[%a_][%w_]*", "%1"):gsub(
    "([%w_%])])%.%s*[%a_][%w_]*", "%1")
end

--- May the C that was made with a prefix have the name for something else than its type: a local of the step, a word of a template?
function P.meets(name, files)
  for _, file in ipairs(files) do
    local apart = file.name:find("^carom/") and not file.text:find('#include "algorithm.h"', 1, true) -- has names carom_... only
    local c = not apart and seen(name, name, file)
    if c then
      for _, as_type in ipairs { "%f[%w_]X%s*%*", "sizeof%(X%)", "typedef%s*X%s*;", "CAROM_STATE X%f[^%w_]", "const X before",
        "static X s;" } do
        c = c:gsub((as_type:gsub("X", name)), "")
      end
      if uses(c, name) then return true end
    end
  end
  return false
end

--- Another prefix for the same model, which meets nothing: what then still has the name has it for something else.
function P.other(name) return name .. "_0" end

--- Refuses a prefix whose name stands in the C that was made with another one. files: of the unit.
function P.look(name, model, files)
  for _, file in ipairs(files) do
    local c = seen(name, P.other(name), file)
    if c and uses(c, name) then refuse(name, model, "the generated C uses itself") end
  end
end

--- Refuses a prefix whose files would be those of the runtime that goes with them.
function P.check_files(name, model, files)
  local taken = {}
  for _, file in ipairs(files) do
    local key = file.name:lower() -- not every disk tells capitals apart
    if taken[key] then refuse(name, model, "a file of the runtime has as well (" .. file.name .. ")") end
    taken[key] = true
  end
end

return P
