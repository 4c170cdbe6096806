-- Breaks texts: bytes flipped, inserted and deleted, lines swapped, doubled and cut, numbers and words replaced by nasty ones,
-- pieces of another text spliced in. r is a generator of tests/random/prng.lua.
local NUMBERS = { "0", "-1", "1e308", "1e-320", "nan", "inf", "-inf", "9223372036854775807", "1e999", "0x7fffffffffffffff", "2147483648",
  "4294967296", "-0.0", "1e-9", "100000", "3.5", "" }

local change = {}

function change.flip(r, s)
  local at = r:integer(1, #s)
  return s:sub(1, at - 1) .. string.char(r:integer(0, 255)) .. s:sub(at + 1)
end

function change.insert(r, s)
  local at = r:integer(0, #s)
  return s:sub(1, at) .. r:pick { "\0", "\r", "\n", "\27", "\255", "$", "{", "[", '"', "\\", "'", "(", ")", "--", "\u{fc}", " ", "%s" }
    .. s:sub(at + 1)
end

function change.delete(r, s)
  local at = r:integer(1, #s)
  return s:sub(1, at - 1) .. s:sub(at + r:integer(1, math.max(1, math.min(40, #s // 4))))
end

function change.cut(r, s) return s:sub(1, r:integer(0, #s)) end

function change.double(r, s)
  local a = r:integer(1, #s)
  local b = math.min(#s, a + r:integer(0, 60))
  return s:sub(1, b) .. s:sub(a, b) .. s:sub(b + 1)
end

function change.number(r, s)
  local at = s:find("%-?%d[%d%.eE%-]*", r:integer(1, #s))
  if not at then return change.flip(r, s) end
  local _, stop = s:find("^%-?%d[%d%.eE%-]*", at)
  return s:sub(1, at - 1) .. r:pick(NUMBERS) .. s:sub(stop + 1)
end

function change.word(r, s, other)
  local at, stop = s:find("%a[%w_]*", r:integer(1, #s))
  if not at then return change.insert(r, s) end
  local from = r:integer(1, #other)
  return s:sub(1, at - 1) .. (other:match("%a[%w_]*", from) or "nil") .. s:sub(stop + 1)
end

function change.splice(r, s, other)
  local a = r:integer(1, #other)
  local at = r:integer(0, #s)
  return s:sub(1, at) .. other:sub(a, a + r:integer(0, 80)) .. s:sub(at + 1)
end

function change.lines(r, s)
  local list = {}
  for line in (s .. "\n"):gmatch("(.-)\n") do list[#list + 1] = line end
  local a, b = r:integer(1, #list), r:integer(1, #list)
  list[a], list[b] = list[b], list[a]
  return table.concat(list, "\n")
end

local KINDS = { "flip", "insert", "delete", "cut", "double", "number", "number", "word", "word", "splice", "lines" }

-- changes after which a program is often still one: what reads it gets beyond the grammar
local GENTLE = { "number", "number", "word", "word", "word", "lines", "double", "delete" }

--- A broken text from one of a list; gently broken, if asked.
return function(r, texts, gently)
  local s = r:pick(texts)
  for _ = 1, r:integer(1, gently and 2 or 4) do
    if #s == 0 or #s > 20000 then break end
    s = change[r:pick(gently and GENTLE or KINDS)](r, s, r:pick(texts))
  end
  return s
end
