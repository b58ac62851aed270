/* driver.c - runs a fuzz target over files and folders without any fuzzer, so that the corpus is part of the
 * ordinary tests. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
        FILE *file = fopen(path, "rb");
        uint8_t *data = malloc(1 << 20);
        if (!file || !data)
                return -1;
        size_t n = fread(data, 1, 1 << 20, file);
        fclose(file);
        LLVMFuzzerTestOneInput(data, n);
        free(data);
        return 0;
}

static int run_folder(const char *path, unsigned *n)
{
        DIR *dir = opendir(path);
        if (!dir) {
                ++*n;
                return run_file(path);
        }
        int status = 0;
        for (struct dirent *e; status == 0 && (e = readdir(dir));) {
                char name[1024];
                if (e->d_name[0] == '.')
                        continue;
                snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
                status = run_folder(name, n);
        }
        closedir(dir);
        return status;
}

int main(int argc, char **argv)
{
        unsigned n = 0;
        for (int i = 1; i < argc; i++)
                if (run_folder(argv[i], &n) < 0) {
                        fprintf(stderr, "cannot read: path=\"%s\"\n", argv[i]);
                        return 1;
                }
        printf("%u inputs\n", n);
        return n == 0;
}
