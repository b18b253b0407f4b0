import fc from "fast-check";
import type { IdentifiedSpan, IdentifiedTrace } from "../../../lib/domain/traces/input.ts";
import { spanKinds, traceStatuses } from "../../../lib/domain/traces/trace.ts";

const instants = [
  "2026-10-01T10:00:00+00:00",
  "2026-10-01T10:00:00.250000+00:00",
  "2026-10-02T00:00:00+00:00",
] as const;

const instant = fc.constantFrom(...instants);
const word = fc.constantFrom("a", "b", "ü", "\u{1f600}", "");

/** A member that is absent, null or has a value. */
const perhaps = <Value>(values: fc.Arbitrary<Value>): fc.Arbitrary<Value | null | undefined> =>
  fc.option(fc.option(values, { nil: null }), { nil: undefined });

const object = fc.dictionary(
  fc.constantFrom("x", "y", "__proto__", "toString"),
  fc.constantFrom(1, "text", null, true),
  {
    maxKeys: 3,
    noNullPrototype: true,
  },
);

/** Prices of a model in two price lists; a third list lacks the model. */
const prices = fc.constantFrom(
  [[1, 2]] as const,
  [[0.5, 2, 0.1, 0.5, 2, "2026-10-02T00:00:00+00:00"]] as const,
  undefined,
);

const span: fc.Arbitrary<IdentifiedSpan> = fc
  .record({
    span_id: fc.constantFrom("s1", "s2", "s3"),
    name: word,
    started_at: instant,
    parent_span_id: perhaps(fc.constantFrom("p1", "p2")),
    kind: fc.option(fc.constantFrom(...spanKinds), { nil: undefined }),
    input: perhaps(word),
    metadata: fc.option(object, { nil: undefined }),
    error: perhaps(word),
    model: perhaps(fc.constantFrom("m", "n")),
    token_usage: perhaps(fc.constant({ prompt_tokens: 10 })),
    price: prices,
  })
  .map(({ price, ...span }) =>
    price === undefined || (span.model ?? null) === null ? span : Object.assign(span, { price }),
  );

/** Successive updates of one trace as clients may send them. */
export const identifiedTraces = (trace_id: string): fc.Arbitrary<IdentifiedTrace> =>
  fc.record({
    trace_id: fc.constant(trace_id),
    name: word,
    started_at: instant,
    ended_at: perhaps(instant),
    status: fc.option(fc.constantFrom(...traceStatuses), { nil: undefined }),
    input: perhaps(fc.oneof(word, object)),
    output: perhaps(word),
    metadata: fc.option(object, { nil: undefined }),
    tags: fc.option(fc.array(word, { maxLength: 3 }), { nil: undefined }),
    session_id: perhaps(word),
    environment: perhaps(word),
    spans: fc.option(fc.array(span, { maxLength: 3 }), { nil: undefined }),
  });
