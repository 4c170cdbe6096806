-- What a state begins with, wherever it is placed.
--- Fields of the state with their first values, { name, value, count (of an array) } each. v: values of the templates.
return function(v)
  local list, needs = {}, v.needs
  local function add(when, count, value, ...)
    for _, name in ipairs { ... } do if when then list[#list + 1] = { name = name, value = value, count = count } end end
  end
  add(v.form.elements and v.form.elements.supported, false, "t", "before.t")
  add(true, false, "0", "now")
  add(true, false, "0.0", "t_low")
  add(v.NR > 0, v.LW, "0.0", "last")
  add(v.bonds, v.NC, "-1.0", "bond")
  add(v.NR > 0, false, "1.0", "last_step")
  add(needs.pressing and v.NR > 0, v.NG, "false", "pressing")
  add(v.strikes, false, "true", "fresh")
  add(v.keeps_force, v.NR, "0.0", "force")
  add(v.uniform, false, "0.0", "h_before")
  for _, m in ipairs(v.memory) do add(true, m.count, m.first, m.name) end
  add(v.split and v.doubling, false, "0.0", "late", "bounce")
  if v.adaptive or v.doubling then
    add(true, false, "0.0", "next_step")
    add(true, false, "t", "aim.t")
    add(true, false, "0", "aim.attempts")
    add(true, false, "0U", "aim.events")
  end
  if needs.capture then
    add(true, false, "false", "started")
    add(true, false, "0.02", "margin")
    add(true, false, v.length_0, "length")
    add(true, false, v.speed_0, "speed")
    add(true, false, v.force_0, "strength")
    add(true, v.NC, "0U", "mode")
    add(true, v.NT + 1, "0.0", "slip", "anchor")
    add(v.adaptive, false, "0.0", "error")
  end
  return list
end
