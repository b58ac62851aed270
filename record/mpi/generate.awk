# generate.awk - makes the wrappers of calls.txt: awk -f generate.awk calls.txt >wrappers.c; with -v only=C those of C, and
# with -v only=prototypes the declarations of the calls, for MPI 5's binary interface.
#
# Each call gets one for C, MPI_X, and for Fortran mpi_x_ with its other spellings, and mpi_x_f08_ and mpi_x_f08ts_ of the
# module mpi_f08. Those for Fortran hand all that they are given to the function of the same name below; they turn into C what
# is noted, and nothing else.
BEGIN {
        FS = " *[|] *"
        c["p"] = "const void *%"; c["P"] = "void *%"; c["i"] = "int %"; c["a"] = "MPI_Aint %"; c["t"] = "MPI_Datatype %"
        c["o"] = "MPI_Op %"; c["c"] = "MPI_Comm %"; c["w"] = "MPI_Win %"; c["g"] = "MPI_Group %"; c["n"] = "MPI_Info %"
        c["I"] = "const int %[]"; c["A"] = "const MPI_Aint %[]"; c["T"] = "const MPI_Datatype %[]"
        c["q"] = c["r"] = "MPI_Request *%"; c["R"] = "MPI_Request %[]"
        c["s"] = "MPI_Status *%"; c["S"] = "MPI_Status %[]"
        c["F"] = "MPI_File %"; c["G"] = "MPI_File *%"; c["O"] = "MPI_Offset %"; c["N"] = "MPI_Count %"; c["u"] = "MPI_Status *%"
        c["z"] = "const char *%"; c["v"] = "char *%[]"; c["E"] = "int %[]"; c["e"] = "MPI_Request %"
        c["f"] = c["x"] = c["k"] = "int *%"; c["X"] = "int %[]"
        c["C"] = c["h"] = "MPI_Comm *%"; c["W"] = c["y"] = "MPI_Win *%"; c["M"] = c["m"] = "MPI_Message *%"
        handle["t"] = "Type"; handle["c"] = handle["C"] = handle["h"] = "Comm"; handle["w"] = handle["W"] = handle["y"] = "Win"
        handle["g"] = "Group"; handle["q"] = handle["r"] = "Request"; handle["M"] = handle["m"] = "Message"
        none["t"] = "MPI_DATATYPE_NULL"; none["c"] = "MPI_COMM_NULL"; none["w"] = "MPI_WIN_NULL"; none["g"] = "MPI_GROUP_NULL"
        type["t"] = "MPI_Datatype"; type["c"] = type["C"] = type["h"] = "MPI_Comm"; type["w"] = type["W"] = type["y"] = "MPI_Win"
        type["g"] = "MPI_Group"; type["q"] = type["r"] = "MPI_Request"; type["M"] = type["m"] = "MPI_Message"
        nothing["h"] = "MPI_COMM_NULL"; nothing["y"] = "MPI_WIN_NULL"; nothing["r"] = "MPI_REQUEST_NULL"; nothing["m"] = "MPI_MESSAGE_NULL"
        print "/* Made by generate.awk of calls.txt. */"
        if (only != "prototypes")
                print "#include \"record/mpi/wrap.h\"\n"
        number = 4 # Init, Init_thread, Finalize and Pcontrol are written by hand
}
function arguments(text,    i) {
        n = split(text, arg, " ")
        for (i = 1; i <= n; i++) {
                kind[i] = substr(arg[i], 1, 1)
                name[i] = substr(arg[i], 3)
        }
}
# Is the name used, as a word? With what stands before it, for new_ and old_.
function uses(text, word) {
        return match(" " text " ", "[^A-Za-z_0-9.>]" word "[^A-Za-z_0-9]")
}
function declare(what, i) {
        sub(/%/, name[i], what)
        return what
}
function list(form,    i, out) { # what is between the parentheses
        for (i = 1; i <= n; i++)
                out = out (i > 1 ? ", " : "") (form == "C" ? declare(c[kind[i]], i) : form == "pass" ? name[i] : fortran(i, form))
        return out
}
function fortran(i, form,    what) {
        what = kind[i] ~ /[pP]/ ? "void *f_" : kind[i] ~ /[aA]/ ? "MPI_Aint *f_" : kind[i] == "O" ? "MPI_Offset *f_" : kind[i] == "N" ? "MPI_Count *f_" : kind[i] ~ /[zv]/ ? "char *f_" : "MPI_Fint *f_"
        return (form == "types" ? what : form == "Fortran" ? what : "f_") name[i]
}
function lengths(type,    i, out) { # of strings, which Fortran hands over behind all else
        for (i = 1; i <= n; i++)
                out = out (kind[i] ~ /[zv]/ ? ", " type "f_length_" name[i] : "")
        return out
}
# What stands in for arguments, and what is kept of them before the call.
function prepare(of_fortran,    i, x, before_and_after) {
        before_and_after = before " " after (before ~ /COLL\(/ ? " comm " : "")
        for (i = 1; i <= n; i++) {
                x = name[i]
                if (kind[i] == "s")
                        print of_fortran ? "        MPI_Status own;\n        if (t && ps_shim_is_ignored(f_" x "))\n                f_" x " = (MPI_Fint *)(void *)&own;" : "        MPI_Status own;\n        if (t && " x " == MPI_STATUS_IGNORE)\n                " x " = &own;"
                if (kind[i] == "S")
                        print of_fortran ? "        if (t && ps_shim_is_ignored(f_" x ") && ps_shim_room(&t->statuses, &t->statuses_cap, (size_t)*f_count, sizeof(MPI_Status)) == 0)\n                f_" x " = (MPI_Fint *)(void *)t->statuses;" : "        if (t && " x " == MPI_STATUSES_IGNORE && ps_shim_room(&t->statuses, &t->statuses_cap, (size_t)count, sizeof(MPI_Status)) == 0)\n                " x " = t->statuses;"
                if (kind[i] == "R")
                        print of_fortran ? "        if (t)\n                copy_fortran_requests(t, *f_count, f_" x ");" : "        if (t)\n                copy_requests(t, count, " x ");"
                if (kind[i] ~ /[rmhy]/)
                        print "        " type[kind[i]] " old_" x " = t ? " (of_fortran ? "PMPI_" handle[kind[i]] "_f2c(*f_" x ")" : "*" x) " : " nothing[kind[i]] ";"
                if (of_fortran && uses(before_and_after, x))
                        convert(i, x)
        }
}
function convert(i, x) {
        if (kind[i] in none)
                print "        " type[kind[i]] " " x " = t ? PMPI_" handle[kind[i]] "_f2c(*f_" x ") : " none[kind[i]] ";"
        else if (kind[i] == "i")
                print "        int " x " = t ? (int)*f_" x " : 0;"
        else if (kind[i] == "N")
                print "        MPI_Count " x " = t ? *f_" x " : 0;"
        else if (kind[i] == "I")
                print "        const int *" x " = (const int *)f_" x ";"
        else if (kind[i] ~ /[Xk]/)
                print "        const int *" x " = (const int *)f_" x ";"
        else if (kind[i] == "T")
                print "        const MPI_Datatype *" x " = NULL; /* handles of C would have to be made of all */"
        else if (kind[i] == "p")
                print "        const void *" x " = f_" x ";"
}
# What the call has given.
function take(of_fortran,    i, x) {
        for (i = 1; i <= n; i++) {
                x = name[i]
                if (kind[i] ~ /[sS]/ && of_fortran && uses(after, x))
                        print kind[i] == "s" ? "                MPI_Status given;\n                const MPI_Status *" x " = memcpy(&given, f_" x ", sizeof(given));" : "                const void *" x " = f_" x ";"
                if (!uses(after, "new_" x))
                        continue
                if (kind[i] ~ /[fx]/)
                        print "                int new_" x " = " (kind[i] == "f" ? "" : "*" (of_fortran ? "f_" : "") x " == MPI_UNDEFINED ? -1 : ") "(int)*" (of_fortran ? "f_" : "") x (kind[i] == "f" ? " != 0" : " - FIRST_INDEX") ";"
                else
                        print "                " type[kind[i]] " new_" x " = " (of_fortran ? "PMPI_" handle[kind[i]] "_f2c(*f_" x ")" : "*" x) ";"
        }
}
function body(call, of_fortran) {
        prepare(of_fortran)
        if (before ~ /MPI_Comm comm = /) { # it is used after the call
                print "        MPI_Comm comm = MPI_COMM_NULL;"
                sub(/MPI_Comm comm = /, "comm = ", before)
        }
        print "        if (t) {\n                " before "\n                enter_call(t);\n        }"
        print "        " call
        print "        if (t) {"
        if (after != "") {
                print "                if (code == MPI_SUCCESS) {"
                take(of_fortran)
                print "                " after "\n                }"
        }
        print "                ps_shim_end(t);\n        } else {\n                ps_shim_skip();\n        }"
}
function wrap_c(number,    keep) {
        keep = before
        print "#define IS_FORTRAN 0\n#define FIRST_INDEX 0\n#define WHERE(x) (x)"
        print "PS_SHIM_EXPORT int MPI_" $1 "(" list("C") ")\n{"
        print "        ps_thread *t = ps_shim_begin(" number ", __builtin_return_address(0));"
        body("int code = PMPI_" $1 "(" list("pass") ");", 0)
        print "        return code;\n}"
        print "#undef IS_FORTRAN\n#undef FIRST_INDEX\n#undef WHERE"
        before = keep
}
function wrap_fortran(number,    low, types, f, i, k, spelled) {
        low = "mpi_" tolower($1)
        types = list("Fortran") ", MPI_Fint *f_code" lengths("size_t ")
        print "#define IS_FORTRAN 1\n#define FIRST_INDEX 1\n#define WHERE(x) (f_##x)"
        print "typedef void fortran_" $1 "(" types ");"
        print "static void wrap_" $1 "(fortran_" $1 " *next, const void *caller, " types ")\n{"
        print "        ps_thread *t = ps_shim_begin(" number ", caller);"
        body("next(" list("names") ", f_code" lengths("") ");\n        int code = f_code ? (int)*f_code : MPI_SUCCESS;\n        (void)code;", 1)
        print "}"
        print "#undef IS_FORTRAN\n#undef FIRST_INDEX\n#undef WHERE"
        k = split(low "_ " low "_f08_ " low "_f08ts_" ($1 ~ /^Win_allocate/ ? " " low "_cptr_" : ""), spelled, " ")
        for (i = 1; i <= k; i++) {
                f = spelled[i]
                print "PS_SHIM_EXPORT void " f "(" types ");\nvoid " f "(" types ")\n{"
                print "        static fortran_" $1 " *next;\n        if (!next)\n                next = (fortran_" $1 " *)ps_shim_next(\"" f "\");"
                print "        wrap_" $1 "(next, __builtin_return_address(0), " list("names") ", f_code" lengths("") ");\n}"
        }
        k = split(low " " low "__ " toupper(low), spelled, " ")
        for (i = 1; i <= k; i++)
                print "PS_SHIM_EXPORT void " spelled[i] "(" types ") __attribute__((alias(\"" low "_\")));"
}
/^#/ || /^ *$/ { next }
/^[?]/ { # what not all have
        print substr($0, 3) != "" ? "#if " substr($0, 3) : "#endif"
        next
}
$2 ~ /^=/ { # the same as another
        sub(/^= */, "", $2)
        $3 = befores[$2]; $4 = afters[$2]; $2 = args[$2]
}
$2 ~ /^I=/ { # the nonblocking form of it
        sub(/^I= */, "", $2)
        $3 = befores[$2]; $2 = args[$2] " q:request"
        sub(/^COLL/, "ICOLL", $3)
        $4 = "ps_shim_started(new_request);"
}
$2 ~ /^P=/ { # the persistent one
        sub(/^P= */, "", $2)
        $3 = befores[$2]; $2 = args[$2] " n:info q:request"
        sub(/^COLL/, "PCOLL", $3)
        $4 = "ps_shim_started(new_request);"
}
{
        args[$1] = $2; befores[$1] = $3; afters[$1] = $4
        arguments($2); before = $3; after = $4
        names[number++] = $1
        if (only == "prototypes") {
                print "PS_ABI_CALL(" $1 ", " list("C") ");"
                next
        }
        wrap_c(number - 1)
        before = $3
        if (only == "")
                wrap_fortran(number - 1)
}
END {
        if (only == "prototypes")
                exit
        print "const char *const ps_shim_functions[] = {\n        \"MPI_Init\", \"MPI_Init_thread\", \"MPI_Finalize\", \"MPI_Pcontrol\","
        for (i = 4; i < number; i++)
                print "        \"MPI_" names[i] "\","
        print "};"
}
