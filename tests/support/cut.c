// cut FOLDER N PROGRAM [ARGS...]: runs a program, and kills it with all that it started just before the Nth of its system calls that
// changes what is below FOLDER: files opened to be written, bytes written, files brought to the disk, renamed, linked, removed.
// N = 0 kills nothing. Afterwards one line on its standard error: `cut: CALLS`. Exits with the program's code, or with 99 after a kill.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <linux/ptrace.h>
#include <unistd.h>

static const char *folder;

// A text of the traced process, as far as it can be read.
static void text_of(pid_t pid, unsigned long at, char *out, size_t size) {
    struct iovec to = {out, size - 1}, from = {(void *)at, size - 1};
    ssize_t got = process_vm_readv(pid, &to, 1, &from, 1, 0);
    if (got < 0) {
        // The end of the memory may be nearer than the size.
        from.iov_len = 4096 - (at & 4095);
        got = process_vm_readv(pid, &to, 1, &from, 1, 0);
    }
    out[got < 0 ? 0 : got] = 0;
}

static int is_below(const char *path) {
    return !strncmp(path, folder, strlen(folder));
}

static int is_path_below(pid_t pid, unsigned long at) {
    char path[PATH_MAX];
    text_of(pid, at, path, sizeof path);
    return is_below(path);
}

static int is_file_below(pid_t pid, int fd) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%d/fd/%d", pid, fd);
    ssize_t got = readlink(link, path, sizeof path - 1);
    path[got < 0 ? 0 : got] = 0;
    return is_below(path);
}

static int changes(pid_t pid, const struct ptrace_syscall_info *info) {
    const __u64 *a = info->entry.args;
    switch (info->entry.nr) {
    case SYS_openat:
        return (a[2] & (O_CREAT | O_TRUNC | O_WRONLY | O_RDWR)) && is_path_below(pid, a[1]);
    case SYS_write: case SYS_writev: case SYS_pwrite64: case SYS_fsync: case SYS_fdatasync: case SYS_ftruncate: case SYS_fchmod:
        return is_file_below(pid, (int)a[0]);
    case SYS_close:
        return is_file_below(pid, (int)a[0]);
    case SYS_copy_file_range:
        return is_file_below(pid, (int)a[2]);
    case SYS_mkdirat: case SYS_unlinkat: case SYS_renameat2: case SYS_linkat: case SYS_fchmodat:
#ifdef SYS_renameat
    case SYS_renameat:
#endif
        return is_path_below(pid, a[1]);
#ifdef SYS_rename
    case SYS_rename: case SYS_unlink: case SYS_link: case SYS_mkdir: case SYS_rmdir: case SYS_chmod:
        return is_path_below(pid, a[0]);
    case SYS_open:
        return (a[1] & (O_CREAT | O_TRUNC | O_WRONLY | O_RDWR)) && is_path_below(pid, a[0]);
#endif
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc < 4) return 98;
    folder = argv[1];
    long wanted = atol(argv[2]), seen = 0;
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        raise(SIGSTOP);
        execvp(argv[3], argv + 3);
        _exit(97);
    }
    int status, code = 96;
    waitpid(child, &status, 0);
    ptrace(PTRACE_SETOPTIONS, child, 0,
           PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC);
    ptrace(PTRACE_SYSCALL, child, 0, 0);
    for (;;) {
        pid_t pid = waitpid(-1, &status, __WALL);
        if (pid < 0) break;
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            if (pid == child) {
                code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
                break;
            }
            continue;
        }
        int signal = WSTOPSIG(status);
        if (signal == (SIGTRAP | 0x80)) {
            struct ptrace_syscall_info info;
            long got = ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info);
            if (got > 0 && info.op == PTRACE_SYSCALL_INFO_ENTRY && changes(pid, &info) && ++seen == wanted) {
                // What it started goes with us: PTRACE_O_EXITKILL.
                fprintf(stderr, "cut: %ld\n", seen);
                kill(child, SIGKILL);
                // Its threads have to be seen to end before it does.
                while (waitpid(-1, &status, __WALL) >= 0) {}
                return 99;
            }
            signal = 0;
        } else if (signal == SIGTRAP || signal == SIGSTOP) {
            // An event of ours, or the first stop of a thread.
            signal = 0;
        }
        ptrace(PTRACE_SYSCALL, pid, 0, signal);
    }
    fprintf(stderr, "cut: %ld\n", seen);
    return code;
}
