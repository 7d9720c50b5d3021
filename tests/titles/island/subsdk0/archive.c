/* The shader archive: a table of names, then the sections. Nothing in the file is trusted. */
#include "support.h"

enum {
    HEADER_SIZE = 16,
    ENTRY_SIZE = 48,
    NAME_SIZE = 32,
};

static uint32_t word_at(const uint8_t* bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

bool isl_archive_open(isl_archive* archive, const void* bytes, size_t size)
{
    const uint8_t* data = bytes;
    archive->bytes = data;
    archive->size = size;
    archive->count = 0;
    if (size < HEADER_SIZE || word_at(data) != 0x48534746u || word_at(data + 4) != 1u) {
        return false;
    }
    const uint32_t count = word_at(data + 8);
    if (count > (size - HEADER_SIZE) / ENTRY_SIZE) {
        return false;
    }
    archive->count = count;
    island_asset_event(ISLAND_EVENT_ARCHIVE_OPEN, "shaders", count);
    return true;
}

static bool section(const isl_archive* archive, const uint8_t* entry, const uint8_t** out, size_t* out_size)
{
    const size_t offset = word_at(entry), size = word_at(entry + 4);
    if (offset > archive->size || size > archive->size - offset) {
        return false;
    }
    *out = archive->bytes + offset;
    *out_size = size;
    return true;
}

bool isl_archive_find(const isl_archive* archive, const char* name, isl_shader* out)
{
    for (uint32_t i = 0; i < archive->count; i++) {
        const uint8_t* entry = archive->bytes + HEADER_SIZE + (size_t)i * ENTRY_SIZE;
        char found[NAME_SIZE];
        for (int k = 0; k < NAME_SIZE; k++) {
            found[k] = (char)entry[k];
        }
        found[NAME_SIZE - 1] = 0;
        if (isl_equal(found, name)) {
            return section(archive, entry + NAME_SIZE, &out->control, &out->control_size)
                && section(archive, entry + NAME_SIZE + 8, &out->code, &out->code_size);
        }
    }
    return false;
}
