/* library.c - see library.h. The MPI of a program is known by the shared objects that it names; one that
 * names none - a script, a program whose libraries do - has that of its launcher. Without any, it may have
 * OpenMP. */
#include "record/launch/library.h"
#include "record/launch/launch.h"

#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What there are recorders for, the least telling first. */
typedef enum recorder {
        RECORDER_NONE,
        RECORDER_OPENMP,
        RECORDER_SHMEM,
        RECORDER_OPENMPI,
        RECORDER_MPICH,
        RECORDER_ABI
} recorder;

static const char *const names[] = {[RECORDER_OPENMP] = "openmp",
                                    [RECORDER_SHMEM] = "shmem",
                                    [RECORDER_OPENMPI] = "openmpi",
                                    [RECORDER_MPICH] = "mpich",
                                    [RECORDER_ABI] = "mpi_abi"};

static recorder recorder_of_object(const char *name)
{
        static const struct {
                const char *begins;
                recorder which;
        } known[] = {{"libmpi_abi.so", RECORDER_ABI},      {"libmpi.so.40", RECORDER_OPENMPI},
                     {"libmpi_", RECORDER_OPENMPI},        {"libmpich", RECORDER_MPICH},
                     {"libmpi.so.12", RECORDER_MPICH},     {"libmpicxx.so.12", RECORDER_MPICH},
                     {"libmpifort.so.12", RECORDER_MPICH}, {"libfmpich", RECORDER_MPICH},
                     {"libmpl.so", RECORDER_MPICH},        {"liboshmem.so", RECORDER_SHMEM},
                     {"libsma.so", RECORDER_SHMEM},        {"libgomp.so", RECORDER_OPENMP},
                     {"libomp.so", RECORDER_OPENMP},       {"libomp5.so", RECORDER_OPENMP},
                     {"libiomp5.so", RECORDER_OPENMP}};
        for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
                if (strncmp(name, known[i].begins, strlen(known[i].begins)) == 0)
                        return known[i].which;
        return RECORDER_NONE;
}

static recorder recorder_of_section(Elf *elf, Elf_Scn *section, const GElf_Shdr *head)
{
        Elf_Data *data = elf_getdata(section, NULL);
        size_t n = data && head->sh_entsize ? head->sh_size / head->sh_entsize : 0;
        recorder best = RECORDER_NONE;
        for (size_t i = 0; i < n && i < INT_MAX; i++) {
                GElf_Dyn row;
                if (!gelf_getdyn(data, (int)i, &row) || row.d_tag != DT_NEEDED)
                        continue;
                const char *name = elf_strptr(elf, head->sh_link, row.d_un.d_val);
                recorder found = name ? recorder_of_object(name) : RECORDER_NONE;
                best = found > best ? found : best;
        }
        return best;
}

static recorder recorder_of_file(const char *path)
{
        recorder found = RECORDER_NONE;
        int file = open(path, O_RDONLY | O_CLOEXEC);
        Elf *elf = file >= 0 && elf_version(EV_CURRENT) != EV_NONE ? elf_begin(file, ELF_C_READ, NULL) : NULL;
        Elf_Scn *section = NULL;
        while (elf && found == RECORDER_NONE && (section = elf_nextscn(elf, section))) {
                GElf_Shdr head;
                if (gelf_getshdr(section, &head) && head.sh_type == SHT_DYNAMIC)
                        found = recorder_of_section(elf, section, &head);
        }
        if (elf)
                elf_end(elf);
        if (file >= 0)
                (void)close(file);
        return found;
}

static recorder recorder_of_launcher(void)
{
        if (getenv("OMPI_COMM_WORLD_RANK") || getenv("OMPI_COMM_WORLD_SIZE"))
                return RECORDER_OPENMPI;
        return getenv("PMI_RANK") || getenv("PMI_FD") || getenv("HYDI_CONTROL_FD") ? RECORDER_MPICH
                                                                                   : RECORDER_NONE;
}

/* Where a shell would find it. */
static bool is_program(const char *path)
{
        struct stat file;
        return access(path, X_OK) == 0 && stat(path, &file) == 0 && S_ISREG(file.st_mode);
}

static bool find_program(char *out, size_t size, const char *program)
{
        const char *path = getenv("PATH");
        if (strchr(program, '/'))
                return snprintf(out, size, "%s", program) < (int)size && is_program(out);
        while (path && *path) {
                size_t n = strcspn(path, ":");
                if (n && snprintf(out, size, "%.*s/%s", (int)n, path, program) < (int)size && is_program(out))
                        return 1;
                path += n + (path[n] == ':');
        }
        return 0;
}

bool ps_launch_is_no_program(const char *path)
{
        return strchr(path, '/') && access(path, F_OK) == 0 && !is_program(path);
}

static ps_status refuse(const char *program, ps_error *err)
{
        return ps_launch_is_no_program(program)
                       ? PS_FAIL(err, PS_E_USAGE, "this is no program that may be executed: path=\"%s\"",
                                 program)
                       : PS_FAIL(err, PS_E_USAGE, "there is no such program: path=\"%s\"", program);
}

ps_status ps_launch_check(const char *program, ps_error *err)
{
        char path[PATH_MAX];
        return find_program(path, sizeof(path), program) ? PS_OK : refuse(program, err);
}

/* Beside patscan as it was built, or where it is installed. */
static bool find_library(char *out, size_t size, const char *name)
{
        static const char *const places[] = {"record", PS_RECORDER_DIR};
        char self[PATH_MAX];
        ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
        self[n > 0 ? n : 0] = '\0';
        char *slash = strrchr(self, '/');
        if (!slash)
                return 0;
        *slash = '\0';
        for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
                if (snprintf(out, size, "%s/%s/record-%s.so", self, places[i], name) < (int)size &&
                    access(out, R_OK) == 0)
                        return 1;
        return 0;
}

bool ps_launch_recorder(char name[PS_LAUNCH_RECORDER_ROOM], unsigned i)
{
        char path[PATH_MAX];
        if (i >= sizeof(names) / sizeof(names[0]))
                return false;
        bool is_here = names[i] && find_library(path, sizeof(path), names[i]);
        snprintf(name, PS_LAUNCH_RECORDER_ROOM, "%s%s", is_here ? "record-" : "", is_here ? names[i] : "");
        return true;
}

ps_status ps_launch_library(char *out, size_t size, const char *program, ps_error *err)
{
        char path[PATH_MAX];
        if (!find_program(path, sizeof(path), program))
                return refuse(program, err);
        recorder which = recorder_of_file(path), launched = recorder_of_launcher();
        if (which <= RECORDER_OPENMP && launched != RECORDER_NONE)
                which = launched;
        if (which == RECORDER_NONE)
                return PS_FAIL(err, PS_E_INPUT,
                               "cannot tell what the program uses, Open MPI, MPICH or OpenMP: path=\"%s\"",
                               path);
        if (!find_library(out, size, names[which]))
                return PS_FAIL(err, PS_E_INPUT,
                               "patscan was built without the recorder for what the program uses: "
                               "uses=\"%s\", missing=\"%s\"",
                               names[which], out);
        return PS_OK;
}
