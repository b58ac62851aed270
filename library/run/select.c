/* select.c - see select.h. Rows below a named one go with it; rows above a wanted one must be evaluated,
 * because a refinement only sees what its parent has found. */
#include "library/run/select.h"
#include "core/base/nearest.h"

#include <string.h>

enum { ID_MAX = 79 };

ps_status ps_select_pattern(uint32_t *out, const char *text, size_t len, ps_error *err)
{
        const char *ids[PS_MAX_PATTERNS], *near;
        char id[ID_MAX + 1] = "";
        unsigned n = 0;

        if (len <= ID_MAX)
                memcpy(id, text, len);
        *out = len <= ID_MAX ? ps_pattern_find(id) : PS_NONE;
        if (*out != PS_NONE)
                return PS_OK;
        for (const ps_pattern *row; n < PS_MAX_PATTERNS && (row = ps_pattern_at(n)); n++)
                ids[n] = row->id;
        near = ps_nearest(id, ids, n);
        if (near)
                return PS_FAIL(err, PS_E_USAGE, "no such pattern \"%s\": did you mean %s?", id, near);
        return PS_FAIL(err, PS_E_USAGE, "no such pattern \"%.*s\": `patscan patterns` lists them",
                       len > ID_MAX ? ID_MAX : (int)len, text);
}

static ps_status mark_words(uint8_t *set, const char *words, ps_error *err)
{
        while (*words) {
                size_t len = strcspn(words, ",");
                uint32_t pattern;
                if (len)
                        PS_TRY(ps_select_pattern(&pattern, words, len, err));
                if (len)
                        set[pattern] = 1;
                words += len + (words[len] == ',');
        }
        return PS_OK;
}

static ps_status mark_list(uint8_t *set, const ps_word_list *list, ps_error *err)
{
        for (unsigned i = 0; i < list->n; i++)
                PS_TRY(mark_words(set, list->row[i], err));
        /* Parents stand before their children. */
        for (uint32_t p = 0; p < ps_pattern_count(); p++) {
                uint32_t parent = ps_pattern_parent(p);
                set[p] |= parent != PS_NONE && set[parent];
        }
        return PS_OK;
}

ps_status ps_selection_make(ps_selection *out, const ps_word_list *only, const ps_word_list *ignore,
                            ps_error *err)
{
        uint8_t wanted[PS_MAX_PATTERNS] = {0}, ignored[PS_MAX_PATTERNS] = {0}, needed[PS_MAX_PATTERNS] = {0};
        PS_TRY(mark_list(wanted, only, err));

        *out = (ps_selection){0};
        PS_TRY(mark_list(ignored, ignore, err));
        bool is_any_left = false;
        for (uint32_t p = ps_pattern_count(); p-- > 0;) {
                uint32_t parent = ps_pattern_parent(p);
                out->left_out[p] = ignored[p] || (only->n && !wanted[p]);
                out->off[p] = ignored[p] || (out->left_out[p] && !needed[p]);
                if (parent != PS_NONE && !out->off[p])
                        needed[parent] = 1;
                is_any_left |= !out->left_out[p];
        }
        if (only->n && ignore->n && !is_any_left)
                return PS_FAIL(err, PS_E_USAGE, "--ignore leaves nothing of what --only chooses");
        return PS_OK;
}
