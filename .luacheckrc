-- Settings of luacheck for this project.
std = "lua54"
max_line_length = 140
