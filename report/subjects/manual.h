/* manual.h - what the table of patterns says: as a tree, and each pattern with its formula in words; JSON has
 * it also as it stands in the code. `patscan patterns`, `patscan explain` and docs/patterns.md are this. */
#ifndef PS_REPORT_SUBJECTS_MANUAL_H
#define PS_REPORT_SUBJECTS_MANUAL_H

#include "patterns/engine/engine.h"
#include "report/print/output.h"

typedef enum ps_manual_form { PS_MANUAL_TEXT, PS_MANUAL_MARKDOWN } ps_manual_form;

/* Every pattern in a line: id, title, and the definitions in which it takes part. */
void ps_manual_write_tree(ps_output *out, ps_manual_form form);
void ps_manual_write_pattern(ps_output *out, ps_manual_form form, uint32_t pattern);
/* The tree and then each pattern, with headings. */
void ps_manual_write_all(ps_output *out, ps_manual_form form);

/* Both have the same keys for a pattern. */
void ps_manual_write_json(ps_output *out, uint32_t pattern);
void ps_manual_write_all_json(ps_output *out);

/* A formula, or a part of one, in words; a word that words.def does not have stands as it is and counts. */
unsigned ps_manual_write_words(ps_output *out, const char *formula);

/* "Lost is ..., if ..." of the pattern's formula, or of its parent's; empty: it is the sum of others. */
enum { PS_FORMULA_TOLD = 1024 };
const char *ps_manual_say_formula(char room[PS_FORMULA_TOLD], uint32_t pattern, bool is_paper);

#endif
