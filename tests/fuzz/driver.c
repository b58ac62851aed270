/* driver.c - runs a fuzzer's entry over files, without libFuzzer, so that every build with any compiler
 * replays the corpus. Arguments are files and folders of files; a folder that is not there is an error,
 * because a test of nothing would pass. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
        FILE *file = fopen(path, "rb");
        struct stat st;
        uint8_t *data = NULL;
        int status = -1;

        if (!file || fstat(fileno(file), &st) != 0)
                goto out;
        size_t size = (size_t)st.st_size;
        data = malloc(size ? size : 1); /* exactly as long as the input: a sanitizer sees one byte too far */
        if (!data || fread(data, 1, size, file) != size)
                goto out;
        LLVMFuzzerTestOneInput(data, size);
        status = 0;
out:
        if (status)
                perror(path);
        free(data);
        if (file)
                fclose(file);
        return status;
}

static int is_visible(const struct dirent *entry)
{
        return entry->d_name[0] != '.';
}

static int run_folder(const char *path, int *n_run)
{
        struct dirent **entries;
        int n = scandir(path, &entries, is_visible, alphasort), status = 0;

        if (n < 0) {
                perror(path);
                return -1;
        }
        for (int i = 0; i < n; i++) {
                char file[4096];
                snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
                status |= run_file(file);
                free(entries[i]);
        }
        free(entries);
        *n_run += n;
        return status;
}

int main(int argc, char **argv)
{
        int status = 0, n_run = 0;

        for (int i = 1; i < argc; i++) {
                struct stat st;
                if (stat(argv[i], &st) == 0 && S_ISREG(st.st_mode)) {
                        status |= run_file(argv[i]);
                        n_run++;
                } else {
                        status |= run_folder(argv[i], &n_run);
                }
        }
        printf("%d inputs\n", n_run);
        return status || n_run == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
