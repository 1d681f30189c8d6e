/* Connectionist temporal classification: the losses of sequences, and their gradients. */
#include "alignment.h"

#include "calls.h"

typedef struct {
    const alignment_rows *rows;
    array scores, targets, steps, labels;  /* as the calls describe them */
    array cotangent, variables, out;
    i64 itemsize, blank;
    i32 outcome;
} alignment_call;

static alignment_call call_of(const array *out, const array *inputs, const i64 *attributes)
{
    return (alignment_call){
        .rows = out->dtype == F64 ? &lg_alignment_rows_f64 : &lg_alignment_rows_f32,
        .scores = inputs[0],
        .targets = inputs[1],
        .steps = inputs[2],
        .labels = inputs[3],
        .out = *out,
        .itemsize = itemsize_of(out->dtype),
        .blank = attributes[0],
    };
}

static const char *row_of(const alignment_call *call, const array *x, i64 row)
{
    return (const char *)x->data + row * x->strides[0] * call->itemsize;
}

static i64 places_bytes(const alignment_call *call)
{
    return aligned_bytes((2 * call->targets.sizes[1] + 3) * 8);
}

/* The sequence `row`, in scratch memory; returns whether its labels and lengths are in range. */
static i32 find_sequence(const alignment_call *call, i64 row, sequence *s)
{
    const array *targets = &call->targets, *scores = &call->scores;
    const i64 *target = (const i64 *)targets->data + row * targets->strides[0];
    i64 steps = ((const i64 *)call->steps.data)[row * call->steps.strides[0]];
    i64 labels = ((const i64 *)call->labels.data)[row * call->labels.strides[0]];
    if (steps < 0 || steps > scores->sizes[0] || labels < 0 || labels > targets->sizes[1])
        return 0;
    char *memory = lg_private_scratch(4 * places_bytes(call));
    i64 *emits = (i64 *)memory;
    for (i64 place = 0; place < 2 * labels + 1; place++) {
        emits[place] = place % 2 ? target[place / 2 * targets->strides[1]] : call->blank;
        if (emits[place] < 0 || emits[place] >= scores->sizes[2])
            return 0;
    }
    *s = (sequence){
        .steps = steps,
        .places = 2 * labels + 1,
        .all_steps = scores->sizes[0],
        .classes = scores->sizes[2],
        .row = call->variables.strides[1],
        .column = call->variables.strides[2],
        .all_places = call->variables.sizes[2],
        .emits = emits,
        .class_stride = scores->strides[2],
        .scores = (const char *)scores->data + row * scores->strides[1] * call->itemsize,
        .step_stride = scores->strides[0],
        .skips = memory + places_bytes(call),
        .near = memory + 2 * places_bytes(call),
        .far = memory + 3 * places_bytes(call),
    };
    call->rows->find_skips(s);
    return 1;
}

static void forward_sequences(void *closure, i64 begin, i64 end)
{
    alignment_call *call = closure;
    sequence s;
    for (i64 row = begin; row < end; row++) {
        if (!find_sequence(call, row, &s)) {
            refuse(&call->outcome);
            return;
        }
        call->rows->forward(&s, (void *)row_of(call, &call->out, row));
    }
}

static void backward_sequences(void *closure, i64 begin, i64 end)
{
    alignment_call *call = closure;
    sequence s;
    for (i64 row = begin; row < end; row++) {
        if (!find_sequence(call, row, &s)) {
            refuse(&call->outcome);
            return;
        }
        char *to = (char *)call->out.data + row * s.classes * call->itemsize;
        call->rows->backward(&s, row_of(call, &call->cotangent, row), row_of(call, &call->variables, row), to,
                             call->out.sizes[1] * s.classes);
    }
}

/* Inputs: logarithms of probabilities (T, N, C), targets (N, S), the lengths of both, N each. In out (N, T + 1, 2 S + 1)
   lie the forward variables of all steps, and in the first element behind them the loss. Attributes: [the class of blanks].
   Refuses labels and lengths out of range. */
i32 lg_ctc(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    team team = working_team(all, out, inputs, count);
    alignment_call call = call_of(out, inputs, attributes);
    call.variables = *out;
    lg_share(&team, out->sizes[0], 1, forward_sequences, &call);
    return call.outcome;
}

/* Inputs: the cotangents of the losses, the result of lg_ctc, and its inputs. In out lies the gradient in the
   logarithms. The attributes are the same. */
i32 lg_ctc_gradients(const team *all, const array *out, const array *inputs, i32 count, const i64 *attributes)
{
    team team = working_team(all, out, inputs, count);
    alignment_call call = call_of(out, inputs + 2, attributes);
    call.cotangent = inputs[0], call.variables = inputs[1];
    lg_share(&team, out->sizes[1], 1, backward_sequences, &call);
    return call.outcome;
}
