# Runs a slider-crank through the flat functions of its library (carom/library.h).
using Printf

const LIB = joinpath(@__DIR__, "out", "slider_crank", "libslider_crank.so")
const KINDS = [4 => "", 5 => "", 6 => ".gap", 7 => ".impulse", 8 => ".force", 3 => "", 2 => "", 1 => ""]

function check(status)
    status == 0 || error(unsafe_string(ccall((:carom_library_text, LIB), Cstring, (Cint,), status)))
end

# Variables by name.
function references()
    table = Dict{String,Cuint}("t" => 0)
    for (kind, suffix) in KINDS, i in 0:(ccall((:carom_library_count, LIB), Cint, (Cint,), kind) - 1)
        name = unsafe_string(ccall((:carom_library_name, LIB), Cstring, (Cint, Cint), kind, i)) * suffix
        get!(table, name, 1000000 * kind + i)
    end
    table
end
const REFERENCE = references()

mutable struct Model
    handle::Ptr{Cvoid}
end

# A run with parameters or inputs that are not the model's own.
function Model(values::Pair{String,Float64}...)
    model = Model(ccall((:carom_library_new, LIB), Ptr{Cvoid}, ()))
    finalizer(m -> ccall((:carom_library_free, LIB), Cvoid, (Ptr{Cvoid},), m.handle), model)
    for (name, value) in values
        check(ccall((:carom_library_set, LIB), Cint, (Ptr{Cvoid}, Ref{Cuint}, Cint, Ref{Cdouble}), model.handle,
                    REFERENCE[name], 1, value))
    end
    check(ccall((:carom_library_start, LIB), Cint, (Ptr{Cvoid},), model.handle))
    model
end

# Steps of h to t: a column of each name, a row at the start and after each `every` steps.
function motion(model, t, h, names; every = 1)
    rows = ccall((:carom_library_rows, LIB), Clong, (Ptr{Cvoid}, Cdouble, Cdouble, Clong), model.handle, t, h, every)
    wanted, made = Cuint[REFERENCE[n] for n in names], Ref{Clong}(0)
    table = Matrix{Cdouble}(undef, length(names), rows)
    check(ccall((:carom_library_run, LIB), Cint,
                (Ptr{Cvoid}, Cdouble, Cdouble, Clong, Ptr{Cuint}, Cint, Ptr{Cdouble}, Clong, Ref{Clong}),
                model.handle, t, h, every, wanted, length(names), table, rows, made))
    permutedims(table[:, 1:made[]])
end

for restitution in (0.0, 0.4, 0.8)
    table = motion(Model("restitution" => restitution), 0.02, 1e-5, ["t", "theta1", "corner1.impulse"]; every = 100)
    @printf("restitution %.1f: %d rows, at t = %g %.5f rad, %.6f N s at the first corner\n", restitution,
            size(table, 1), table[end, 1], table[end, 2], table[end, 3])
end
