/* terms.c - see terms.h; the words stand in terms.def. */
#include "report/subjects/terms.h"

#include "report/print/record_rows.h"
#include "report/subjects/manual_page.h"

#include <string.h>

typedef struct term {
        const char *id, *title, *summary, *advice;
} term;

static const term terms[] = {
#define PS_TERM(id, title, summary, advice) {id, title, summary, advice},
#include "report/subjects/terms.def"
#undef PS_TERM
};
const unsigned ps_n_terms = sizeof(terms) / sizeof(*terms);

const char *ps_term_id(unsigned i)
{
        return terms[i].id;
}

uint32_t ps_term_find(const char *id)
{
        for (unsigned i = 0; i < ps_n_terms; i++)
                if (strcmp(terms[i].id, id) == 0)
                        return i;
        return PS_NONE;
}

void ps_term_write(ps_output *out, ps_manual_form form, unsigned i)
{
        const ps_manual_page page = {out, form};

        ps_manual_put_heading(&page, terms[i].id, terms[i].title);
        ps_manual_put_paragraph(&page, terms[i].summary);
        if (terms[i].advice)
                ps_manual_put_entry(&page, "Advice", NULL, terms[i].advice);
}

#define RECORD     term
#define RECORD_DEF "report/subjects/term.def"
#define RECORD_IT  term
#define RECORD_DOC "a word of the reports"
#include "report/print/make_record.def"

void ps_term_write_json(ps_output *out, unsigned i)
{
        ps_record_write_json(out, PS_ROW_INDENTED, &ps_record_term, &terms[i]);
}
