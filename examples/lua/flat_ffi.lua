-- The flat functions of a library (carom/library.h) for LuaJIT.
local ffi = require "ffi"

ffi.cdef [[
int carom_library_count(int kind);
const char *carom_library_name(int kind, int index);
const char *carom_library_text(int status);
void *carom_library_new(void);
void carom_library_free(void *handle);
int carom_library_start(void *handle);
int carom_library_get(void *handle, const unsigned *reference, int count, double *value);
int carom_library_set(void *handle, const unsigned *reference, int count, const double *value);
int carom_library_step(void *handle, double h);
int carom_library_run(void *handle, double t_end, double h, long every, const unsigned *reference, int count,
                      double *table, long rows, long *made);
]]

return function(path)
  local lib = ffi.load(path)
  local one, value, made = ffi.new "unsigned[1]", ffi.new "double[1]", ffi.new "long[1]"
  return {
    count = lib.carom_library_count,
    name = function(kind, index) return ffi.string(lib.carom_library_name(kind, index)) end,
    text = function(status) return ffi.string(lib.carom_library_text(status)) end,
    new = function()
      local handle = lib.carom_library_new()
      assert(handle ~= nil, "out of memory")
      return ffi.gc(handle, lib.carom_library_free)
    end,
    start = lib.carom_library_start,
    step = lib.carom_library_step,
    run = function(handle, t, h) return lib.carom_library_run(handle, t, h, 1, one, 0, value, 0, made) end,
    get = function(handle, reference)
      one[0] = reference
      assert(lib.carom_library_get(handle, one, 1, value) == 0)
      return value[0]
    end,
    set = function(handle, reference, x)
      one[0], value[0] = reference, x
      return lib.carom_library_set(handle, one, 1, value)
    end,
  }
end
