/* parser.h - what parsing (parser.c) and looking up names (program.c) share. */
#ifndef PS_SIMULATOR_BMF_PARSER_H
#define PS_SIMULATOR_BMF_PARSER_H

#include "core/base/types.h"
#include "simulator/bmf/lexer.h"

typedef struct ps_bmf_definition {
        const char *name; /* in the text, `len` bytes */
        uint32_t len;
        ps_bmf_place place;
        ps_bmf_node *root;
        uint32_t order; /* among all definitions */
} ps_bmf_definition;

/* "$name" in an expression. */
typedef struct ps_bmf_use {
        ps_bmf_node *node;
        const char *name;
        uint32_t len;
        uint32_t inside; /* the definition that it stands in, by order; PS_NONE: the program */
        uint32_t target; /* the definition that is meant, by order; PS_NONE: not yet known */
} ps_bmf_use;

typedef struct ps_bmf_parser {
        ps_bmf_program *program;
        const ps_bmf_limits *limits;
        ps_error *err;
        ps_bmf_pool pool;
        ps_bmf_lexer lexer;
        ps_bmf_token token; /* the next one */
        uint64_t depth;
        uint32_t definition; /* that is being parsed, or PS_NONE */

        ps_bmf_node **node, **pile; /* pile: children whose parents are still being parsed */
        uint32_t n_nodes, cap_nodes, n_pile, cap_pile;
        ps_bmf_definition *defined;
        uint32_t n_defined, cap_defined;
        ps_bmf_use *use;
        uint32_t n_uses, cap_uses;
        ps_bmf_value *item; /* data whose lists and tuples are still being parsed */
        uint32_t n_items, cap_items;
} ps_bmf_parser;

ps_status ps_bmf_parse_library(ps_bmf_parser *p, const ps_bmf_text *text);
ps_status ps_bmf_parse_program(ps_bmf_parser *p, const ps_bmf_text *text);

#endif
