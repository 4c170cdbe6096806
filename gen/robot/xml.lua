-- XML as tables: { tag =, attr = { name = value }, line =, children in order, text = what stands between them }. No name spaces, no
-- declarations of types: what files of robots use.
local X = {}

local ENTITIES = { lt = "<", gt = ">", amp = "&", quot = '"', apos = "'" }

local function plain(text)
  return (text:gsub("&(#?x?%w+);", function(name)
    local code = tonumber(name:match "^#(%d+)$") or tonumber(name:match "^#x(%x+)$" or "", 16)
    return ENTITIES[name] or code and utf8.char(code)
  end))
end

--- The root element of a text; file: its name, for messages. Errors are { carom = true, file, line, message }.
function X.read(text, file)
  local stack, root, at, line, seen = {}, nil, 1, 1, 1
  local function place(to) -- counts lines up to here
    line, seen = line + select(2, text:sub(seen, to - 1):gsub("\n", "")), to
    return line
  end
  local function refuse(to, format, ...)
    error({ carom = true, file = file, line = place(to), message = format:format(...) }, 0)
  end
  local function attributes(words, to)
    local attr = {}
    local rest = words:gsub("([%w_:%-%.]+)%s*=%s*([\"'])(.-)%2", function(name, _, value)
      attr[name] = plain(value)
      return ""
    end)
    if rest:find "%S" then refuse(to, "cannot read the attributes '%s'", rest:match "^%s*(.-)%s*$") end
    return attr
  end
  while at <= #text do
    local from = text:find("<", at, true)
    if not from then break end
    local parent = stack[#stack]
    if parent then parent.text = parent.text .. plain(text:sub(at, from - 1)) end
    if text:sub(from, from + 3) == "<!--" then
      local _, last = text:find("-->", from, true)
      at = (last or refuse(from, "a comment does not end")) + 1
    elseif text:sub(from, from + 8) == "<![CDATA[" then
      local _, last = text:find("]]>", from, true)
      if not last then refuse(from, "a CDATA section does not end") end
      if parent then parent.text = parent.text .. text:sub(from + 9, last - 3) end
      at = last + 1
    elseif text:find("^<[?!]", from) then
      at = (text:find(">", from, true) or refuse(from, "a declaration does not end")) + 1
    elseif text:sub(from + 1, from + 1) == "/" then
      local tag, last = text:match("^</([%w_:%-%.]+)%s*>()", from)
      if not tag or not parent or parent.tag ~= tag then
        refuse(from, "%s ends here, but %s is open", tag and "</" .. tag .. ">" or "an element", parent and "<" .. parent.tag .. ">"
          or "none")
      end
      stack[#stack], at = nil, last
    else
      local tag, words = text:match("^<([%w_:%-%.]+)()", from)
      if not tag then refuse(from, "a '<' that begins no element") end
      local last, quote = words, nil
      while last <= #text do -- to the > that is not inside quotes
        local c = text:sub(last, last)
        if quote then
          if c == quote then quote = nil end
        elseif c == '"' or c == "'" then
          quote = c
        elseif c == ">" then
          break
        end
        last = last + 1
      end
      if last > #text then refuse(from, "<%s does not end", tag) end
      local inner = text:sub(words, last - 1)
      local alone = inner:sub(-1) == "/"
      local element = { tag = tag, line = place(from), text = "", attr = attributes(alone and inner:sub(1, -2) or inner, from) }
      if parent then
        parent[#parent + 1] = element
      elseif root then
        refuse(from, "a second root <%s>", tag)
      else
        root = element
      end
      if not alone then stack[#stack + 1] = element end
      at = last + 1
    end
  end
  if stack[1] then refuse(#text, "<%s> of line %d does not end", stack[#stack].tag, stack[#stack].line) end
  return root or refuse(1, "there is no element in it")
end

--- The first child of that name, or nil.
function X.child(element, tag)
  for _, c in ipairs(element or {}) do if c.tag == tag then return c end end
end

--- All children of that name.
function X.all(element, tag)
  local list = {}
  for _, c in ipairs(element or {}) do if c.tag == tag then list[#list + 1] = c end end
  return list
end

--- Numbers of a text, as many as there are.
function X.numbers(text)
  local list = {}
  for word in (text or ""):gmatch "%S+" do
    local x = tonumber(word)
    if not x or x - x ~= 0 then return nil end
    list[#list + 1] = x
  end
  return list
end

return X
