/* Strings and numbers as text. */
#include "support.h"

size_t isl_length(const char* text)
{
    size_t length = 0;
    while (text[length] != 0) {
        length++;
    }
    return length;
}

bool isl_equal(const char* a, const char* b)
{
    while (*a != 0 && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

char* isl_append(char* out, const char* text)
{
    while (*text != 0) {
        *out++ = *text++;
    }
    *out = 0;
    return out;
}

char* isl_append_number(char* out, uint64_t value, unsigned digits)
{
    char reversed[20];
    unsigned count = 0;
    while (value != 0 || count == 0) {
        reversed[count++] = (char)('0' + value % 10);
        value /= 10;
    }
    for (unsigned padding = count; padding < digits; padding++) {
        *out++ = '0';
    }
    while (count > 0) {
        *out++ = reversed[--count];
    }
    *out = 0;
    return out;
}

char* isl_append_hundredths(char* out, double value, unsigned width)
{
    const uint64_t scaled = (uint64_t)isl_floor(value * 100.0 + 0.5);
    out = isl_append_number(out, scaled / 100, width > 3 ? width - 3 : 1);
    *out++ = '.';
    return isl_append_number(out, scaled % 100, 2);
}
