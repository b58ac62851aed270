/* view.c - the two ends of a message. */
#include "patterns/table/view.h"

static ps_side side_of(const ps_trace *trace, const ps_timing *timing, ps_ref post)
{
        ps_ref wait = ps_op_completion(trace, post);
        ps_side side = {.post = post,
                        .wait = wait,
                        .enter = timing->enter[post.loc][post.op],
                        .leave = timing->leave[post.loc][post.op],
                        .wait_enter = PS_NEVER_ENDED,
                        .wait_leave = PS_NEVER_ENDED,
                        .kind = (ps_kind)trace->ops[post.loc].kind[post.op],
                        .wait_kind = PS_K_NONE};
        if (wait.op != PS_NONE) {
                side.wait_enter = timing->enter[wait.loc][wait.op];
                side.wait_leave = timing->leave[wait.loc][wait.op];
                side.wait_kind = (ps_kind)trace->ops[wait.loc].kind[wait.op];
        }
        return side;
}

ps_message_view ps_view_message(const ps_trace *trace, const ps_timing *timing, ps_ref ref, ps_time tolerance)
{
        ps_ref partner = ps_op_partner(trace, ref);
        bool is_send = ps_kinds[trace->ops[ref.loc].kind[ref.op]].cls == PS_C_SEND;
        return (ps_message_view){.send = side_of(trace, timing, is_send ? ref : partner),
                                 .recv = side_of(trace, timing, is_send ? partner : ref),
                                 .bytes = trace->ops[ref.loc].bytes[ref.op],
                                 .tolerance = tolerance};
}
