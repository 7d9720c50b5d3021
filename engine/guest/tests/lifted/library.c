/* `subsdk0`: a function, data and a constructor. */
typedef unsigned long u64;
u64 library_table[4] = {1, 2, 30, 4};
u64 library_order = 7;
void library_note(u64 what) { library_order = library_order * 10 + what; }
u64 library_answer(u64 x) { return x + 40; }
__attribute__((constructor)) static void start(void) { library_note(3); }
