-- Every kind of error on the command line, its text and its exit code. Kinds are tables:
--   { carom = true, file, line, message }   something is wrong in a model          exit code 2
--   { usage = true, message }               something is wrong in the arguments    exit code 2
--   { environment = true, message }         a compiler, package or file is missing exit code 3
-- Anything else is a fault of carom itself: it is shown with a trace.

local json = require "gen.util.json"

local errors = {}

--- Raises an environment error.
function errors.environment(format, ...)
  error({ environment = true, message = format:format(...) }, 0)
end

--- Message handler for xpcall: plain errors get a trace, tables pass. (It is not called when memory is out.)
function errors.with_trace(e)
  if type(e) == "table" then return e end
  return { internal = true, message = tostring(e), trace = debug.traceback("", 2) }
end

local function people(e)
  if e.carom then
    local where = e.file and (e.line and ("%s:%d: "):format(e.file, e.line) or e.file .. ": ") or "carom: "
    return where .. "error: " .. e.message
  elseif e.usage then
    return "carom: error: " .. e.message .. "\ntry: carom help"
  elseif e.environment then
    return "carom: error: " .. e.message
  end
  return "carom: internal error, please report it: " .. tostring(e.message) .. (e.trace or "")
end

--- Prints an error (as the one JSON object on standard output when asked) and returns the exit code.
function errors.tell(e, as_json)
  if type(e) ~= "table" then
    local text = tostring(e)
    e = text:find("not enough memory", 1, true)
      and { carom = true, message = "this needs more memory than the limit allows; write a smaller model, or set CAROM_LIMIT_MIB to a "
        .. "higher one" }
      or { internal = true, message = text }
  end
  if as_json then
    print(json.write(json.object {
      { "status", "error" }, { "message", e.message or tostring(e) }, { "file", e.file }, { "line", e.line },
    }))
  else
    io.stdout:flush()
    io.stderr:write(people(e), "\n")
  end
  return (e.carom or e.usage) and 2 or 3
end

return errors
