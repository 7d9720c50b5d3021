/* `main` of a lifted title: linking with `subsdk0`, imports, threads, and faults of every kind by the number in `scenario`. */
typedef unsigned long u64;
#define NOINLINE __attribute__((noinline))
extern u64 library_answer(u64);
extern u64 library_table[4];
extern void library_note(u64);
extern u64 _ZN2nn5prepo9NobodyHasEv(void);
extern int _ZN2nn2fs22QueryMountRomCacheSizeEPm(u64 *);
extern int _ZN2nn2fs8MountRomEPKcPvm(const char *, void *, u64);
extern int _ZN2nn2fs8OpenFileEPNS0_10FileHandleEPKci(u64 *, const char *, int);
extern int _ZN2nn2fs8ReadFileENS0_10FileHandleElPvm(u64, u64, void *, u64);
extern int _ZN2nn2os12CreateThreadEPNS0_10ThreadTypeEPFvPvES3_S3_mii(void *, void (*)(void *), void *, void *, u64, int, int);
extern void _ZN2nn2os11StartThreadEPNS0_10ThreadTypeE(void *);
extern void _ZN2nn2os10WaitThreadEPNS0_10ThreadTypeE(void *);
extern void test_wait_for(volatile u64 *);

#ifndef SCENARIO
#define SCENARIO 1000
#endif
volatile u64 scenario = SCENARIO;
volatile u64 results[16] = {1};
u64 *pointer = &library_table[2];
static char stack[0x10000] __attribute__((aligned(4096)));
static char thread[0x200] __attribute__((aligned(64)));
static char buffer[0x4000] __attribute__((aligned(64)));
static volatile u64 counter, stop, null;

__attribute__((constructor)) static void first(void) { library_note(1); }
__attribute__((constructor)) static void second(void) { library_note(2); }

NOINLINE u64 read_null(u64 *p) { return *(volatile u64 *)p + 1; }
NOINLINE void jump(void (*f)(void)) { f(); }
NOINLINE static void unknown(void) { __asm__ volatile(".inst 0x04a00000"); }
NOINLINE u64 deep(u64 n) {
    volatile u64 frame[64];
    frame[n & 63] = n;
    return deep(n + 1) + frame[(n + 1) & 63];
}
static const u64 fixed = 7;

static void count(void *argument) {
    (void)argument;
    while (!stop) counter++;
}

/* A file is read on this thread while another of the same core counts. */
static void read_beside_a_counter(void) {
    u64 size, handle;
    _ZN2nn2fs22QueryMountRomCacheSizeEPm(&size);
    _ZN2nn2fs8MountRomEPKcPvm("rom", buffer, size);
    results[1] = _ZN2nn2fs8OpenFileEPNS0_10FileHandleEPKci(&handle, "rom:/slow.bin", 1);
    _ZN2nn2os12CreateThreadEPNS0_10ThreadTypeEPFvPvES3_S3_mii(thread, count, 0, stack, sizeof stack, 20, 0);
    _ZN2nn2os11StartThreadEPNS0_10ThreadTypeE(thread);
    results[2] = counter;
    results[3] = _ZN2nn2fs8ReadFileENS0_10FileHandleElPvm(handle, 0, buffer, 16);
    results[4] = counter;
    results[5] = *(volatile u64 *)buffer;
    stop = 1;
    _ZN2nn2os10WaitThreadEPNS0_10ThreadTypeE(thread);
}

extern int _ZN2nn2fs14EnsureSaveDataERKNS_7account3UidE(const u64 *);
extern int _ZN2nn2fs13MountSaveDataEPKcRKNS_7account3UidE(const char *, const u64 *);
extern int _ZN2nn2fs10CreateFileEPKcl(const char *, long);
extern int _ZN2nn2fs9WriteFileENS0_10FileHandleElPKvmRKNS0_11WriteOptionE(u64, long, const void *, u64, const int *);
extern void _ZN2nn2fs9CloseFileENS0_10FileHandleE(u64);
extern int _ZN2nn2fs6CommitEPKc(const char *);
extern void _ZN2nn2fs7UnmountEPKc(const char *);

/* Counts the runs in a save file: the first run makes it. */
static void keep_a_count(void) {
    static const u64 user[2] = {5, 6};
    static const int flush = 1;
    u64 handle, count = 0;
    _ZN2nn2fs14EnsureSaveDataERKNS_7account3UidE(user);
    results[1] = _ZN2nn2fs13MountSaveDataEPKcRKNS_7account3UidE("save", user);
    if (_ZN2nn2fs8OpenFileEPNS0_10FileHandleEPKci(&handle, "save:/count", 1) == 0) {
        results[2] = _ZN2nn2fs8ReadFileENS0_10FileHandleElPvm(handle, 0, &count, 8);
        _ZN2nn2fs9CloseFileENS0_10FileHandleE(handle);
    } else {
        results[2] = _ZN2nn2fs10CreateFileEPKcl("save:/count", 8);
    }
    results[3] = ++count;
    results[4] = _ZN2nn2fs8OpenFileEPNS0_10FileHandleEPKci(&handle, "save:/count", 2);
    results[5] = _ZN2nn2fs9WriteFileENS0_10FileHandleElPKvmRKNS0_11WriteOptionE(handle, 0, &count, 8, &flush);
    results[6] = _ZN2nn2fs9WriteFileENS0_10FileHandleElPKvmRKNS0_11WriteOptionE(handle, 4, &count, 8, &flush);
    _ZN2nn2fs9CloseFileENS0_10FileHandleE(handle);
    results[7] = _ZN2nn2fs6CommitEPKc("save");
    _ZN2nn2fs7UnmountEPKc("save");
}

void nnMain(void) {
    switch (scenario) {
    case 0:
        results[1] = library_answer(2);
        results[2] = *pointer;
        results[3] = library_answer(0) - 40;
        break;
    case 1: results[1] = read_null((u64 *)null); break;
    case 2: jump((void (*)(void))0xDEADBEE0); break;
    case 3: unknown(); break;
    case 4: results[1] = deep(0); break;
    case 5: jump((void (*)(void))null); break;
    case 6: *(volatile u64 *)&fixed = 1; break;
    case 7:
        for (int i = 0; i < 3; i++) results[1 + i] = _ZN2nn5prepo9NobodyHasEv();
        break;
    case 8: read_beside_a_counter(); break;
    case 9: keep_a_count(); break;
    }
    results[0] = 42;
}
