-- carom gen --split: NAME.c in several files, which compilers can take side by side. Long functions of the model and the tables they look
-- at move into files of their own; a header tells them of each other. Nothing but the place and "static" changes, so bits do not.
local algorithms = require "gen.emit.algorithms"
local prune = require "gen.emit.prune"

local D = {}

local LONG = 40   -- lines from which on a function moves; what such ones call goes along
local TABLE = 10  -- and a table
local FILE = 600  -- lines after which another file begins

local function code_of(line) return (line:gsub("/%*.-%*/", "")) end

local function words_of(chunk)
  local words = {}
  for _, line in ipairs(chunk) do for word in code_of(line):gmatch "[%a_][%w_]*" do words[word] = true end end
  return words
end

-- Where the code of a chunk begins, behind comments and directives.
local function first_of(chunk)
  for i, line in ipairs(chunk) do if line:find "^static " then return i end end
end

-- What a chunk defines, if it may be anywhere: { name, function or table, head: how it is declared, from: its first line }.
local function piece_of(chunk)
  local name, from = prune.static_name(chunk), first_of(chunk)
  if not name then return nil end
  local head = {}
  for i = from, #chunk do
    local line = code_of(chunk[i])
    local stop = line:find "=" or line:find "^{"
    head[#head + 1] = (stop and line:sub(1, stop - 1) or line):match "^%s*(.-)%s*$"
    if stop then break end
  end
  local text = table.concat(head, " "):gsub("%s+$", ""):gsub("^static ", ""):gsub("^inline ", "")
  local of_function = text:find "%)$" ~= nil
  if not of_function and not text:find "^const " or text:find "CAROM" then return nil end
  return { name = name, of_function = of_function, head = text, from = from, chunk = chunk, words = words_of(chunk) }
end

-- Does a piece need what is in NAME.c alone: its macros, algorithms (carom/algorithm.h) and what these make? public: words of headers
-- that every file includes.
local function stays(piece, pieces, X, public)
  for word in next, piece.words do -- order does not matter
    if (word:find "^CAROM" or word:find("^" .. X .. "_")) and not pieces[word] and not public[word] then return true end
  end
  return false
end

-- Words of headers but for what is defined in the text, and the lines that include them. read(name): text of a file of carom.
local function public_of(text, header, X, read)
  local words, includes = {}, {}
  for line in text:match("^(.-)\n[^\n]*define CAROM"):gmatch "[^\n]+" do
    if line:find "^#include" and not line:find(X .. ".h", 1, true) then includes[#includes + 1] = line end
  end
  for _, name in ipairs(algorithms.headers(header .. table.concat(includes, "\n"), read)) do
    if name ~= "algorithm" then header = header .. read("runtime/include/carom/" .. name .. ".h") end
  end
  for word in header:gmatch "[%a_][%w_]*" do words[word] = true end
  for name in text:gmatch "\n#define ([%w_]+)" do words[name] = nil end
  return words, includes
end

-- Chunks whose directives stand alone.
local function chunks_of(text)
  local list = {}
  for _, chunk in ipairs(prune.chunks_of(text)) do
    local last = 0
    for i, line in ipairs(chunk) do if line:find "^#" then last = i end end
    if last > 0 then list[#list + 1] = table.move(chunk, 1, last, 1, {}) end
    if last < #chunk then list[#list + 1] = table.move(chunk, last + 1, #chunk, 1, {}) end
  end
  return list
end

-- The pieces that move, in the order of the text.
local function moving(list, pieces, X, public)
  local good, changed = {}, true
  for _, p in ipairs(list) do good[p] = not stays(p, pieces, X, public) end
  while changed do -- nor what needs something that stays
    changed = false
    for _, p in ipairs(list) do
      for word in next, p.words do -- order does not matter
        local other = good[p] and pieces[word]
        if other and other ~= p and not good[other] then good[p], changed = false, true end
      end
    end
  end
  local taken = {}
  local function take(p)
    if taken[p] then return end
    taken[p] = true
    for word in next, p.words do if pieces[word] then take(pieces[word]) end end -- order does not matter
  end
  for _, p in ipairs(list) do if good[p] and #p.chunk >= (p.of_function and LONG or TABLE) then take(p) end end
  local moved = {}
  for _, p in ipairs(list) do if taken[p] then moved[#moved + 1] = p end end
  return moved
end

local function plain(chunk, from)
  local lines = table.move(chunk, 1, #chunk, 1, {})
  lines[from] = lines[from]:gsub("^static ", ""):gsub("^inline ", "")
  return lines
end

-- Names of tables carry that of the model, once they are not static.
local function named(text, renamed)
  return (text:gsub("[%a_][%w_]*", renamed))
end

--- NAME.c (text) and NAME.h (header) as files: the list of { name, text }, NAME.c first; that alone where nothing is long.
-- read: of files of carom.
function D.files(X, text, header, read)
  local chunks, list, pieces, renamed = chunks_of(text), {}, {}, {}
  local of_chunk = {}
  for _, chunk in ipairs(chunks) do
    local p = piece_of(chunk)
    if p then list[#list + 1], pieces[p.name], of_chunk[chunk] = p, p, p end
  end
  local public, includes = public_of(text, header, X, read)
  local moved = moving(list, pieces, X, public)
  if #moved == 0 then return { { name = X .. ".c", text = text } } end
  local own, tables, told, files = {}, {}, {}, {}
  local is_moved = {}
  for _, p in ipairs(moved) do
    is_moved[p] = true
    told[#told + 1] = (p.of_function and "" or "extern ") .. p.head .. ";"
    if not p.name:find("^" .. X .. "_") then renamed[p.name] = X .. "_" .. p.name end
    if p.of_function then own[#own + 1] = p else tables[#tables + 1] = p end
  end
  local function begin(what)
    return { ("/* %s: %s. Written by carom with --split; see %s.h. */"):format(X, what, X), ('#include "%s_parts.h"'):format(X), "" }
  end
  local function add(name, lines)
    files[#files + 1] = { name = name, text = named(table.concat(lines, "\n") .. "\n", renamed) }
  end
  local rest = {}
  for _, chunk in ipairs(chunks) do if not is_moved[of_chunk[chunk]] then table.move(chunk, 1, #chunk, #rest + 1, rest) end end
  add(X .. ".c", rest)
  files[1].text = files[1].text:gsub(('#include "%s.h"\n'):format(X), ('#include "%s_parts.h"\n'):format(X), 1)
  local function store(name, what, some)
    local lines = begin(what)
    for _, p in ipairs(some) do
      local made = plain(p.chunk, p.from)
      table.move(made, 1, #made, #lines + 1, lines)
    end
    add(name, lines)
  end
  if #tables > 0 then store(X .. "_tables.c", "tables", tables) end
  local some, length, number = {}, 0, 0
  for i, p in ipairs(own) do
    some[#some + 1], length = p, length + #p.chunk
    if length >= FILE or i == #own then
      number = number + 1
      store(("%s_part_%d.c"):format(X, number), "functions of the model", some)
      some, length = {}, 0
    end
  end
  local guard = X:upper() .. "_PARTS_H"
  local lines = { ("/* What the files of %s tell each other; nothing for those who use it. */"):format(X), "#ifndef " .. guard,
    "#define " .. guard, ('#include "%s.h"'):format(X) }
  table.move(includes, 1, #includes, #lines + 1, lines)
  lines[#lines + 1] = ""
  table.move(told, 1, #told, #lines + 1, lines)
  lines[#lines + 1] = "#endif"
  add(X .. "_parts.h", lines)
  return files
end

return D
