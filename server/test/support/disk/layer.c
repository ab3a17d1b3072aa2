/*
 * A layer between a program and its disk, preloaded into the program (LD_PRELOAD, Linux with glibc). It traces what the program does to the
 * files of one folder, and makes the syncs of that folder slow, failing, hanging or false. Everything else passes untouched.
 *
 * DISK_LAYER_FOLDER   the real path of the folder
 * DISK_LAYER_TRACE    the file to which operations are appended; without it nothing is traced
 * DISK_LAYER_CONTROL  a file of `struct control`, which a test changes while the program runs
 *
 * `layer.ts` compiles it, `trace.ts` reads the trace. A write, a truncation and a change of names is traced before it happens, under one
 * lock, so the trace of a killed process never lacks what its successor finds. The files that end with `-shm` are left out: they do not
 * outlive the processes that share them.
 *
 * System calls are made directly, so the layer needs no function of the library that it stands before.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* The kinds of record. `trace.ts` has the same numbers. */
enum { CREATE = 1, OPEN, WRITE, TRUNCATE, UNLINK, RENAME, SYNC_BEGIN, SYNC_END, SHORTENED, UNSUPPORTED, OUTPUT };

/* What a file is for, as bits of a mask. `layer.ts` has the same numbers. */
enum { LOG = 1, DATABASE = 2, OTHER = 4, DIRECTORY = 8 };

struct record {
  uint32_t magic, length;
  uint32_t kind, process;
  uint64_t inode;
  int64_t a, b;
};
#define MAGIC 0x4b534944u

struct control {
  _Atomic uint32_t delay_us; /* of each sync */
  _Atomic uint32_t failing;  /* masks: syncs of these files fail with EIO, */
  _Atomic uint32_t held;     /* hang, */
  _Atomic uint32_t lying;    /* or succeed, and are traced as if they had not happened */
  _Atomic uint32_t begun, ended, waiting;
};

struct watched {
  uint64_t inode;
  uint32_t role; /* 0: the descriptor is not of the folder */
};

#define MOST_DESCRIPTORS 65536
static struct watched descriptors[MOST_DESCRIPTORS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[PATH_MAX];
static size_t folder_length;
static int trace = -1;
static struct control no_control;
static struct control *control = &no_control;
static _Atomic uint32_t syncs;

/* Nothing but this: it runs before the program, and other libraries may open files earlier still. */
__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("DISK_LAYER_FOLDER");
  if (path == NULL || strlen(path) >= sizeof folder) return;
  const char *trace_path = getenv("DISK_LAYER_TRACE");
  if (trace_path != NULL) trace = (int)syscall(SYS_openat, AT_FDCWD, trace_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  const char *control_path = getenv("DISK_LAYER_CONTROL");
  int file = control_path == NULL ? -1 : (int)syscall(SYS_openat, AT_FDCWD, control_path, O_RDWR | O_CLOEXEC, 0);
  if (file >= 0) {
    void *mapped = (void *)syscall(SYS_mmap, NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) control = mapped;
    syscall(SYS_close, file);
  }
  strcpy(folder, path);
  folder_length = strlen(folder);
}

static int ends_with(const char *text, const char *end) {
  size_t length = strlen(text), of_end = strlen(end);
  return length >= of_end && strcmp(text + length - of_end, end) == 0;
}

static uint32_t role_of(const char *name) {
  if (ends_with(name, "-wal")) return LOG;
  return ends_with(name, ".db") ? DATABASE : OTHER;
}

/* The name of a path within the folder: "" for the folder itself, NULL for a path elsewhere and for shared memory. */
static const char *name_within(const char *path) {
  if (strncmp(path, folder, folder_length) != 0) return NULL;
  if (path[folder_length] == '\0') return path + folder_length;
  if (path[folder_length] != '/' || ends_with(path, "-shm")) return NULL;
  return path + folder_length + 1;
}

/* The same for a path as the program writes it, whose last part may not exist. `real` is room for it. */
static const char *name_of(int at, const char *path, char *real) {
  if (folder_length == 0 || (at != AT_FDCWD && path[0] != '/')) return NULL;
  const char *slash = strrchr(path, '/');
  const char *last = slash == NULL ? path : slash + 1;
  char parent[PATH_MAX] = ".";
  if (slash != NULL) {
    size_t length = slash == path ? 1 : (size_t)(slash - path);
    if (length >= sizeof parent) return NULL;
    memcpy(parent, path, length);
    parent[length] = '\0';
  }
  if (realpath(parent, real) == NULL || strlen(real) + strlen(last) + 2 > PATH_MAX) return NULL;
  if (strcmp(real, "/") != 0) strcat(real, "/");
  strcat(real, last);
  return name_within(real);
}

/* Appends a record. The lock is held. */
static void append(struct record head, const void *first, size_t of_first, const void *second, size_t of_second) {
  if (trace < 0) return;
  head.magic = MAGIC;
  head.length = (uint32_t)(sizeof head + of_first + of_second);
  head.process = (uint32_t)getpid();
  struct iovec parts[3] = {{&head, sizeof head}, {(void *)first, of_first}, {(void *)second, of_second}};
  syscall(SYS_writev, trace, parts, 3);
}

static void append_name(uint32_t kind, uint64_t inode, const char *name) {
  append((struct record){.kind = kind, .inode = inode}, name, strlen(name), NULL, 0);
}

static uint64_t inode_of(int file) {
  struct stat found;
  return fstat(file, &found) == 0 ? found.st_ino : 0;
}

/* What the table knows of a descriptor. It may be stale where the program closes descriptors by a system call of its own. */
static struct watched of_descriptor(int file) {
  struct watched none = {0, 0};
  if (file < 0 || file >= MOST_DESCRIPTORS || descriptors[file].role == 0) return none;
  if (inode_of(file) == descriptors[file].inode) return descriptors[file];
  descriptors[file] = none;
  return none;
}

/* Notes what a new descriptor is. Returns the name of a file of the folder, else NULL. */
static const char *note(int file, char *path) {
  if (folder_length == 0 || file < 0 || file >= MOST_DESCRIPTORS) return NULL;
  char link[64] = "/proc/self/fd/";
  char digits[16];
  int count = 0, at = (int)strlen(link);
  for (int rest = file; count == 0 || rest > 0; rest /= 10) digits[count++] = (char)('0' + rest % 10);
  while (count > 0) link[at++] = digits[--count];
  link[at] = '\0';
  ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
  path[length < 0 ? 0 : length] = '\0';
  const char *name = name_within(path);
  struct stat found;
  if (name == NULL || fstat(file, &found) != 0) {
    descriptors[file].role = 0;
    return NULL;
  }
  uint32_t role = S_ISDIR(found.st_mode) ? DIRECTORY : role_of(name);
  descriptors[file] = (struct watched){found.st_ino, role};
  return role == DIRECTORY ? NULL : name;
}

static int open_at(int at, const char *path, int flags, mode_t mode) {
  int makes = (flags & O_CREAT) == O_CREAT || (flags & O_TRUNC) == O_TRUNC;
  char real[PATH_MAX];
  if (!makes || name_of(at, path, real) == NULL) {
    int file = (int)syscall(SYS_openat, at, path, flags, mode);
    int error = errno;
    const char *name = file < 0 ? NULL : note(file, real);
    if (name != NULL) {
      pthread_mutex_lock(&lock);
      append_name(OPEN, inode_of(file), name);
      pthread_mutex_unlock(&lock);
    }
    errno = error;
    return file;
  }
  pthread_mutex_lock(&lock);
  struct stat before;
  int existed = fstatat(at, path, &before, AT_SYMLINK_NOFOLLOW) == 0;
  int file = (int)syscall(SYS_openat, at, path, flags, mode);
  int error = errno;
  const char *name = file < 0 ? NULL : note(file, real);
  if (name != NULL) {
    append_name(existed ? OPEN : CREATE, inode_of(file), name);
    if (existed && (flags & O_TRUNC) && before.st_size > 0)
      append((struct record){.kind = TRUNCATE, .inode = inode_of(file), .a = 0}, NULL, 0, NULL, 0);
  }
  pthread_mutex_unlock(&lock);
  errno = error;
  return file;
}

static mode_t mode_in(int flags, va_list rest) {
  return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
}
#define WITH_MODE(call)        \
  va_list rest;                \
  va_start(rest, flags);       \
  mode_t mode = mode_in(flags, rest); \
  va_end(rest);                \
  return call;

int open(const char *path, int flags, ...) { WITH_MODE(open_at(AT_FDCWD, path, flags, mode)) }
int open64(const char *path, int flags, ...) { WITH_MODE(open_at(AT_FDCWD, path, flags, mode)) }
int openat(int at, const char *path, int flags, ...) { WITH_MODE(open_at(at, path, flags, mode)) }
int openat64(int at, const char *path, int flags, ...) { WITH_MODE(open_at(at, path, flags, mode)) }
int creat(const char *path, mode_t mode) { return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

int close(int file) {
  if (file >= 0 && file < MOST_DESCRIPTORS) descriptors[file].role = 0;
  return (int)syscall(SYS_close, file);
}

static int copied(int from, int to) {
  if (to >= 0 && to < MOST_DESCRIPTORS && from >= 0 && from < MOST_DESCRIPTORS) descriptors[to] = descriptors[from];
  return to;
}
int dup(int file) { return copied(file, (int)syscall(SYS_dup, file)); }
int dup2(int from, int to) {
  if (from == to) return fcntl(from, F_GETFD) < 0 ? -1 : to;
  return copied(from, (int)syscall(SYS_dup3, from, to, 0));
}
int dup3(int from, int to, int flags) { return copied(from, (int)syscall(SYS_dup3, from, to, flags)); }

/* Where a write without an offset begins. */
static off_t position_of(int file) {
  struct stat found;
  if ((fcntl(file, F_GETFL) & O_APPEND) && fstat(file, &found) == 0) return found.st_size;
  return lseek(file, 0, SEEK_CUR);
}

/* Traces a write, and makes it by a system call. An offset below 0 is the position of the file. */
static ssize_t write_parts(int file, const struct iovec *parts, int count, off_t offset) {
  struct watched to = trace < 0 ? (struct watched){0, 0} : of_descriptor(file);
  int is_placed = offset >= 0;
  if (to.role == 0 || to.role == DIRECTORY)
    return is_placed ? syscall(SYS_pwritev, file, parts, count, offset, 0) : syscall(SYS_writev, file, parts, count);
  pthread_mutex_lock(&lock);
  off_t at = is_placed ? offset : position_of(file);
  ssize_t wanted = 0;
  for (int i = 0; i < count; i++) {
    struct record head = {.kind = WRITE, .inode = to.inode, .a = at + wanted};
    append(head, parts[i].iov_base, parts[i].iov_len, NULL, 0);
    wanted += (ssize_t)parts[i].iov_len;
  }
  ssize_t done = is_placed ? syscall(SYS_pwritev, file, parts, count, offset, 0) : syscall(SYS_writev, file, parts, count);
  int error = errno;
  /* The records of the last `a` bytes say more than happened: `b` bytes of them did. */
  if (done != wanted) append((struct record){.kind = SHORTENED, .inode = to.inode, .a = wanted, .b = done < 0 ? 0 : done}, NULL, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  errno = error;
  return done;
}

/* What the program prints, so that a test finds what was on the disk by then. */
static void trace_output(int file, const void *bytes, size_t count) {
  if (trace < 0 || (file != STDOUT_FILENO && file != STDERR_FILENO)) return;
  pthread_mutex_lock(&lock);
  append((struct record){.kind = OUTPUT, .a = file}, bytes, count, NULL, 0);
  pthread_mutex_unlock(&lock);
}

static ssize_t write_one(int file, const void *bytes, size_t count, off_t offset) {
  trace_output(file, bytes, count);
  if (file >= 0 && file < MOST_DESCRIPTORS && descriptors[file].role == 0)
    return offset < 0 ? syscall(SYS_write, file, bytes, count) : syscall(SYS_pwrite64, file, bytes, count, offset);
  struct iovec part = {(void *)bytes, count};
  return write_parts(file, &part, 1, offset);
}
ssize_t write(int file, const void *bytes, size_t count) { return write_one(file, bytes, count, -1); }
ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) { return write_one(file, bytes, count, offset); }
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) { return write_one(file, bytes, count, offset); }
ssize_t writev(int file, const struct iovec *parts, int count) {
  for (int i = 0; i < count; i++) trace_output(file, parts[i].iov_base, parts[i].iov_len);
  return write_parts(file, parts, count, -1);
}
ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) { return write_parts(file, parts, count, offset); }
ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t offset) { return write_parts(file, parts, count, offset); }

static int truncate_file(int file, off_t size) {
  struct watched of = of_descriptor(file);
  if (of.role == 0) return (int)syscall(SYS_ftruncate, file, size);
  pthread_mutex_lock(&lock);
  append((struct record){.kind = TRUNCATE, .inode = of.inode, .a = size}, NULL, 0, NULL, 0);
  int result = (int)syscall(SYS_ftruncate, file, size);
  int error = errno;
  if (result != 0) append((struct record){.kind = SHORTENED, .inode = of.inode}, NULL, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}
int ftruncate(int file, off_t size) { return truncate_file(file, size); }
int ftruncate64(int file, off64_t size) { return truncate_file(file, size); }

/* By a descriptor, so that there is one way to truncate. */
static int truncate_path(const char *path, off_t size) {
  int file = open_at(AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0);
  if (file < 0) return -1;
  int result = truncate_file(file, size);
  int error = errno;
  close(file);
  errno = error;
  return result;
}
int truncate(const char *path, off_t size) { return truncate_path(path, size); }
int truncate64(const char *path, off64_t size) { return truncate_path(path, size); }

int unlinkat(int at, const char *path, int flags) {
  char real[PATH_MAX];
  const char *name = (flags & AT_REMOVEDIR) ? NULL : name_of(at, path, real);
  if (name == NULL) return (int)syscall(SYS_unlinkat, at, path, flags);
  pthread_mutex_lock(&lock);
  append_name(UNLINK, 0, name);
  int result = (int)syscall(SYS_unlinkat, at, path, flags);
  int error = errno;
  if (result != 0) append((struct record){.kind = SHORTENED}, NULL, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }

int renameat2(int at, const char *path, int to_at, const char *to_path, unsigned flags) {
  char real[PATH_MAX], to_real[PATH_MAX];
  const char *name = name_of(at, path, real), *to = name_of(to_at, to_path, to_real);
  if (name == NULL && to == NULL) return (int)syscall(SYS_renameat2, at, path, to_at, to_path, flags);
  pthread_mutex_lock(&lock);
  if (name == NULL || to == NULL || flags != 0) append_name(UNSUPPORTED, 0, "a rename across the border of the folder, or with flags");
  else append((struct record){.kind = RENAME, .a = (int64_t)strlen(name)}, name, strlen(name), to, strlen(to));
  int result = (int)syscall(SYS_renameat2, at, path, to_at, to_path, flags);
  int error = errno;
  if (result != 0) append((struct record){.kind = SHORTENED}, NULL, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}
int renameat(int at, const char *path, int to_at, const char *to_path) { return renameat2(at, path, to_at, to_path, 0); }
int rename(const char *path, const char *to_path) { return renameat2(AT_FDCWD, path, AT_FDCWD, to_path, 0); }

/* What the trace cannot describe. A test that meets it fails. */
static void unsupported(const char *what) {
  pthread_mutex_lock(&lock);
  append_name(UNSUPPORTED, 0, what);
  pthread_mutex_unlock(&lock);
}

int linkat(int at, const char *path, int to_at, const char *to_path, int flags) {
  char real[PATH_MAX];
  if (name_of(to_at, to_path, real) != NULL) unsupported("a hard link");
  return (int)syscall(SYS_linkat, at, path, to_at, to_path, flags);
}
int link(const char *path, const char *to_path) { return linkat(AT_FDCWD, path, AT_FDCWD, to_path, 0); }

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset) {
  if (file >= 0 && (flags & MAP_SHARED) && (protection & PROT_WRITE) && of_descriptor(file).role != 0) unsupported("a file mapped for writing");
  return (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset);
}
void *mmap64(void *address, size_t length, int protection, int flags, int file, off64_t offset) {
  return mmap(address, length, protection, flags, file, offset);
}

static int allocate(int file, int mode, off_t offset, off_t length) {
  if (of_descriptor(file).role != 0) unsupported("an allocation");
  return (int)syscall(SYS_fallocate, file, mode, offset, length);
}
int fallocate(int file, int mode, off_t offset, off_t length) { return allocate(file, mode, offset, length); }
int fallocate64(int file, int mode, off64_t offset, off64_t length) { return allocate(file, mode, offset, length); }
int posix_fallocate(int file, off_t offset, off_t length) { return allocate(file, 0, offset, length) == 0 ? 0 : errno; }
int posix_fallocate64(int file, off64_t offset, off64_t length) { return allocate(file, 0, offset, length) == 0 ? 0 : errno; }

ssize_t copy_file_range(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t length, unsigned flags) {
  if (of_descriptor(to).role != 0) unsupported("a copy within the kernel");
  return syscall(SYS_copy_file_range, from, from_offset, to, to_offset, length, flags);
}
static ssize_t send_file(int to, int from, off64_t *offset, size_t count) {
  if (of_descriptor(to).role != 0) unsupported("a copy within the kernel");
  return syscall(SYS_sendfile, to, from, offset, count);
}
ssize_t sendfile(int to, int from, off_t *offset, size_t count) { return send_file(to, from, (off64_t *)offset, count); }
ssize_t sendfile64(int to, int from, off64_t *offset, size_t count) { return send_file(to, from, offset, count); }

static void pause_us(uint32_t microseconds) {
  struct timespec left = {microseconds / 1000000, (long)(microseconds % 1000000) * 1000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

/* A sync covers what was traced before its begin. The lock is free meanwhile. */
static int sync_file(int file, long call) {
  struct watched of = of_descriptor(file);
  if (of.role == 0) return (int)syscall(call, file);
  int64_t id = ((int64_t)getpid() << 32) | atomic_fetch_add(&syncs, 1);
  char path[PATH_MAX] = "";
  const char *name = "";
  if (of.role == DIRECTORY) {
    note(file, path);
    name = name_within(path);
    if (name == NULL) name = "";
  }
  pthread_mutex_lock(&lock);
  append((struct record){.kind = SYNC_BEGIN, .inode = of.inode, .a = id, .b = of.role}, name, strlen(name), NULL, 0);
  pthread_mutex_unlock(&lock);
  atomic_fetch_add(&control->begun, 1);
  if (control->held & of.role) {
    atomic_fetch_add(&control->waiting, 1);
    while (control->held & of.role) pause_us(200);
    atomic_fetch_sub(&control->waiting, 1);
  }
  if (control->delay_us > 0) pause_us(control->delay_us);
  int is_lie = (control->lying & of.role) != 0;
  int result = (int)syscall(call, file), error = errno;
  if (control->failing & of.role) {
    result = -1;
    error = EIO;
  }
  pthread_mutex_lock(&lock);
  if (!is_lie) append((struct record){.kind = SYNC_END, .inode = of.inode, .a = id, .b = result == 0 ? 0 : -error}, NULL, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  atomic_fetch_add(&control->ended, 1);
  errno = error;
  return result;
}
int fsync(int file) { return sync_file(file, SYS_fsync); }
int fdatasync(int file) { return sync_file(file, SYS_fdatasync); }
