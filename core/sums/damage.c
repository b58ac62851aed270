/* damage.c - see damage.h. */
#include "core/sums/damage.h"

ps_damage ps_damage_of(const ps_issues *issues, uint64_t n_messages)
{
        uint64_t sends = issues->row[PS_I_SEND_UNMATCHED].count;
        uint64_t receives = issues->row[PS_I_RECV_UNMATCHED].count;
        uint64_t lonely = sends > receives ? sends : receives;
        ps_damage damage = {.first = PS_I_COUNT, .messages = n_messages + lonely};
        if (lonely > damage.messages / 100)
                damage.lonely = lonely;
        for (int kind = PS_I_COUNT; kind-- > 0;)
                if (ps_issue_infos[kind].damages && issues->row[kind].count) {
                        damage.first = (ps_issue_kind)kind;
                        damage.n_kinds++;
                }
        return damage;
}
