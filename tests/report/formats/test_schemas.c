/* test_schemas.c - the schemas in docs/ are those that the tables of records give. */
#include "report/comparison/comparison.h"
#include "report/facts/report.h"
#include "report/print/compact.h"
#include "report/scaling/scaling.h"
#include "report/subjects/cost.h"
#include "report/subjects/info_json.h"
#include "tests/support/schema_file.h"
#include "tests/support/test.h"

static const struct {
        const ps_record *document;
        const char *path;
} schemas[] = {{&ps_record_report, "docs/report.schema.json"},
               {&ps_record_comparison, "docs/compare.schema.json"},
               {&ps_record_cost, "docs/cost.schema.json"},
               {&ps_record_info, "docs/info.schema.json"},
               {&ps_record_scaling, "docs/scale.schema.json"}};

TEST(docs_has_the_schema_of_compact_reports)
{
        ps_output *out;

        assert_int_equal(ps_output_open_memory(&out, PS_WIDTH_DEFAULT, NULL), PS_OK);
        ps_compact_write_schema(out, PS_REPORT_COMPACT, &ps_record_report);
        schema_file_check("docs/report-compact.schema.json", ps_output_text(out));
        ps_output_discard(out);
}

TEST(docs_has_the_schemas_of_the_tables)
{
        ps_output *out;

        for (size_t i = 0; i < sizeof(schemas) / sizeof(*schemas); i++) {
                assert_int_equal(ps_output_open_memory(&out, PS_WIDTH_DEFAULT, NULL), PS_OK);
                ps_schema_write(out, schemas[i].document);
                schema_file_check(schemas[i].path, ps_output_text(out));
                ps_output_discard(out);
        }
}
