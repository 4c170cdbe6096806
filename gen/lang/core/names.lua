-- Names a user may give: identifiers that can become C struct fields, and the nearest known word for a misspelt one.

local spelling = require "gen.util.text"

local N = {}

local function set(text)
  local s = {}
  for word in string.gmatch(text, "%S+") do s[word] = true end
  return s
end

local c_keywords = set [[
  auto break case char const continue default do double else enum extern float for goto if inline int
  long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while]]

-- The emitted header can be included from C++, so its keywords are refused as well.
local cxx_keywords = set [[
  alignas alignof and and_eq asm bitand bitor bool catch char16_t char32_t char8_t class compl concept
  const_cast consteval constexpr constinit co_await co_return co_yield decltype delete dynamic_cast explicit
  export false friend mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected
  public reinterpret_cast requires static_assert static_cast template this thread_local throw true try
  typeid typename using virtual wchar_t xor xor_eq]]

-- Object-like macros of the standard headers and of compilers: even a struct field of that name would not survive.
local macros = set [[NULL EOF NAN INFINITY HUGE_VAL HUGE_VALF HUGE_VALL errno stdin stdout stderr BUFSIZ linux unix i386
  math_errhandling M_PI M_E noreturn complex imaginary]]

--- Why a text cannot be a name, and what to write; nil when it can.
function N.refusal(text)
  if not string.match(text, "^[%a_][%w_]*$") then
    return "is not an identifier", "use letters, digits and _, starting with a letter"
  end
  if #text > 60 then return "is too long", "use at most 60 characters" end
  if c_keywords[text] then return "is a C keyword", "choose another name, such as " .. text .. "_1" end
  if cxx_keywords[text] then return "is a C++ keyword", "choose another name, such as " .. text .. "_1" end
  if string.match(text, "^CAROM") then return "is a word of carom's own C", "choose another name, such as " .. string.lower(text) end
  if macros[text] or string.match(text, "^DBL_") or string.match(text, "^FLT_") then
    return "is a macro of the C library", "choose another name, such as " .. text .. "_1"
  end
  if string.match(text, "^_") or string.find(text, "__", 1, true) then
    return "is reserved in C", "use no leading _ and no __"
  end
end

--- The known word nearest to a misspelt one, or nil when none is near.
function N.nearest(text, known)
  text = string.sub(tostring(text), 1, 60)
  local best, best_distance
  for _, word in ipairs(known) do
    local d = spelling.distance(text, word)
    if d <= math.max(1, #word // 3) and (not best or d < best_distance) then best, best_distance = word, d end
  end
  return best
end

--- "did you mean X" when one is near, else "known: a, b, c".
function N.suggest(text, known, what)
  local near = N.nearest(text, known)
  if near then return "did you mean '" .. near .. "'?" end
  return (what or "known") .. ": " .. table.concat(known, ", ")
end

return N
