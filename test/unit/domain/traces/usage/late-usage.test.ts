import fc from "fast-check";
import { expect, test } from "vitest";
import { usageTotalKey } from "../../../../../lib/domain/traces/usage/counted-usage.ts";
import { addSpanFacts, spanFactsOf } from "../../../../../lib/domain/traces/facts.ts";
import type { IdentifiedSpan } from "../../../../../lib/domain/traces/input.ts";
import { mergeSpans } from "../../../../../lib/domain/traces/merge.ts";
import { modelPrice } from "../../../../../lib/domain/traces/model-price.ts";
import { addedKeys, filterKeysOf, lookupKeysOf } from "../../../../../lib/domain/traces/span-filter-keys.ts";
import {
  addCosts,
  addContributions,
  contributionsOf,
  totalCost,
  totalTokens,
  type Contribution,
} from "../../../../../lib/domain/traces/totals.ts";
import type { Span } from "../../../../../lib/domain/traces/trace.ts";

/** Dollars per million prompt and completion tokens. */
const [promptPrice, completionPrice] = [1, 10];
const price = modelPrice([
  { input: promptPrice, output: completionPrice, cached: 1, written: 1, reasoning: 10, from: null },
]);

const spanWith = (id: string, parent: string | null, fields: Partial<IdentifiedSpan> = {}): Span => {
  const sent = { span_id: id, parent_span_id: parent, name: id, started_at: "2026-11-21T10:00:00+00:00", ...fields };
  const [span] = mergeSpans([], [sent]);
  if (span === undefined) throw new Error("One span was sent.");
  return span;
};

const numbers = { model: (name: string) => name.charCodeAt(0), tool: () => 1 };

const sorted = (contributions: readonly Contribution[]) =>
  contributions.toSorted((a, b) => (`${a.hour} ${a.model}` < `${b.hour} ${b.model}` ? -1 : 1));

const sumsOf = (spans: readonly Span[]) => ({
  contributions: sorted(contributionsOf(spans)),
  facts: spanFactsOf(spans, numbers),
});

/** Adds spans as rows do: from their own sums where their filter keys allow it, else from all spans. */
const arrivals = function* (batches: readonly (readonly Span[])[]) {
  let [sums, keys]: [ReturnType<typeof sumsOf>, ReadonlySet<string>] = [sumsOf([]), new Set()];
  for (const [index, batch] of batches.entries()) {
    const stored = batches.slice(0, index + 1).flat();
    const keysBefore = keys;
    const lookups = lookupKeysOf(batch);
    const added = addedKeys(batch, (key) => lookups.has(key) && keysBefore.has(key));
    sums =
      added === null
        ? sumsOf(stored)
        : {
            contributions: sorted(addContributions(sums.contributions, contributionsOf(batch))),
            facts: addSpanFacts(sums.facts, batch, numbers),
          };
    keys = keys.union(added ?? filterKeysOf(stored));
    yield { sums, stored, isRead: added === null };
  }
};

const inBatches = <Item>(items: readonly Item[], sizes: readonly number[]): readonly (readonly Item[])[] => {
  const batches: (readonly Item[])[] = [];
  let at = 0;
  for (let next = 0; at < items.length; next += 1) {
    const size = sizes[next % sizes.length] ?? 1;
    batches.push(items.slice(at, at + size));
    at += size;
  }
  return batches;
};

const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 });
const shuffled = <Item>(items: readonly Item[]) => fc.shuffledSubarray([...items], { minLength: items.length });

const ids = Array.from({ length: 12 }, (_, at) => `s${String(at).padStart(2, "0")}`);

/** A span whose parent is mostly one of the ids before, so that trees are deep; some parents form circles. */
const anySpan = (id: string, at: number) =>
  fc
    .record({
      parent: fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(null, ...ids.slice(0, at)) },
        { weight: 1, arbitrary: fc.constantFrom(...ids, "far") },
      ),
      kind: fc.constantFrom("LLM" as const, "AGENT" as const, "OTHER" as const),
      model: fc.constantFrom("a", "b", null),
      tokens: fc.option(fc.tuple(fc.nat(50), fc.constantFrom(0, 0, 5)), { freq: 1 }),
      cached: fc.constantFrom(0, 7),
      dollars: fc.constantFrom(undefined, undefined, undefined, 0, 0.1, 0.25),
      isTotal: fc.nat(4).map((number) => number === 0),
      isPriced: fc.boolean(),
      hour: fc.constantFrom("10", "11"),
    })
    .map(({ parent, kind, model, tokens, cached, dollars, isTotal, isPriced, hour }) =>
      spanWith(id, parent, {
        kind,
        model,
        token_usage:
          tokens === null
            ? null
            : {
                prompt_tokens: tokens[0],
                completion_tokens: tokens[1],
                cache_read_tokens: Math.min(cached, tokens[0]),
              },
        cost: dollars === undefined ? null : { total: dollars },
        metadata: isTotal ? { [usageTotalKey]: true } : {},
        started_at: `2026-11-21T${hour}:00:00+00:00`,
        ...(isPriced && { price }),
      }),
    );

test("sums of spans in any order and batches are those of the whole trace, mostly without reading it", () => {
  let [arrived, read] = [0, 0];
  const traces = fc.tuple(...ids.map(anySpan)).chain((spans) => fc.tuple(shuffled(spans), sizes));
  fc.assert(
    fc.property(traces, ([spans, batchSizes]) => {
      for (const { sums, stored, isRead } of arrivals(inBatches(spans, batchSizes))) {
        expect(sums).toEqual(sumsOf(stored));
        arrived += 1;
        read += isRead ? 1 : 0;
      }
    }),
    { numRuns: 3_000 },
  );
  expect(read / arrived).toBeLessThan(0.6);
});

test("an agent whose calls come with their HTTP requests is added without reading it", () => {
  const call = (at: number) => [
    spanWith(`h${at}`, `c${at}`),
    spanWith(`c${at}`, "root", { kind: "LLM", token_usage: { prompt_tokens: 5 } }),
    spanWith(`t${at}`, "root", { kind: "TOOL" }),
  ];
  const batches = [...Array.from({ length: 20 }, (_, at) => call(at)), [spanWith("root", null, { kind: "AGENT" })]];

  expect(Array.from(arrivals(batches), ({ isRead }) => isRead)).toEqual(batches.map(() => false));
});

interface Call {
  readonly model: string;
  readonly prompt: number;
  readonly completion: number;
  /** Cost that the provider tells; null if it is that of the price list. */
  readonly dollars: number | null;
}

const call: fc.Arbitrary<Call> = fc.record({
  model: fc.constantFrom("gpt-4o", "claude-sonnet-4-5", "mistral-large"),
  prompt: fc.integer({ min: 1, max: 10_000 }),
  completion: fc.integer({ min: 1, max: 1_000 }),
  dollars: fc.option(fc.integer({ min: 1, max: 500 }).map((thousandths) => thousandths / 1000)),
});

const dollarsOf = ({ prompt, completion, dollars }: Call): number =>
  dollars ?? (prompt * promptPrice + completion * completionPrice) / 1e6;

/** Builds spans that report calls; the parent of the first spans is `parent`. */
type Instrumentation = (calls: readonly Call[], parent: string) => readonly Span[];

let lastId = 0;
const newId = (): string => `x${(lastId += 1)}`;

/** What a span reports of calls: their tokens, and their cost where the provider told it. */
const reported = (calls: readonly Call[], fields: Partial<IdentifiedSpan> = {}): Partial<IdentifiedSpan> => ({
  model: calls[0]?.model ?? null,
  token_usage: {
    prompt_tokens: calls.reduce((sum, { prompt }) => sum + prompt, 0),
    completion_tokens: calls.reduce((sum, { completion }) => sum + completion, 0),
  },
  cost: calls.every(({ dollars }) => dollars !== null) ? { total: addCosts(calls.map(dollarsOf)) } : null,
  price,
  ...fields,
});

const around = (
  parent: string,
  fields: Partial<IdentifiedSpan>,
  inside: (parent: string) => readonly Span[],
): readonly Span[] => {
  const span = spanWith(newId(), parent, fields);
  return [span, ...inside(span.span_id)];
};

const plain: Instrumentation = (calls, parent) =>
  calls.map((each) => spanWith(newId(), parent, reported([each], { kind: "LLM" })));

/** Reports each call apart. */
const each =
  (report: (call: Call, parent: string) => readonly Span[]): Instrumentation =>
  (calls, parent) =>
    calls.flatMap((single) => report(single, parent));

const isTold = (calls: readonly Call[]): boolean => calls.every(({ dollars }) => dollars !== null);
const hasOneModel = (calls: readonly Call[]): boolean => new Set(calls.map(({ model }) => model)).size === 1;

const instrumentations: Readonly<Record<string, Instrumentation>> = {
  plain,
  "copied by the framework": each((one, parent) =>
    around(parent, reported([one], { kind: "LLM" }), (id) => plain([one], id)),
  ),
  "copied two levels up": each((one, parent) =>
    around(parent, reported([one], { kind: "CHAIN" }), (id) =>
      around(id, { kind: "CHAIN" }, (inner) =>
        around(inner, reported([one], { kind: "LLM" }), (last) => plain([one], last)),
      ),
    ),
  ),
  "copied by a gateway": each((one, parent) =>
    around(parent, reported([one], { kind: "LLM", model: `openai/${one.model}-2026-01-31` }), (id) =>
      around(id, {}, (inner) => plain([one], inner)),
    ),
  ),
  "sum on the agent": (calls, parent) => around(parent, reported(calls, { kind: "AGENT" }), (id) => plain(calls, id)),
  "last attempt on the wrapper": (calls, parent) =>
    around(parent, reported(calls.slice(-1), { kind: "AGENT" }), (id) => plain(calls, id)),
  "total on the agent, without some of the calls": (calls, parent) =>
    hasOneModel(calls) || isTold(calls)
      ? around(parent, reported(calls, { kind: "AGENT", metadata: { [usageTotalKey]: true } }), (id) =>
          // A price list knows the cost of the others only if no provider told a part of it.
          isTold(calls) || calls.every(({ dollars }) => dollars === null)
            ? plain(calls.slice(1), id)
            : plain(calls, id),
        )
      : plain(calls, parent),
  "usage on the agent only": (calls, parent) =>
    isTold(calls) || calls.length === 1
      ? around(parent, reported(calls, { kind: "AGENT" }), (id) =>
          calls.map(() => spanWith(newId(), id, { kind: "LLM" })),
        )
      : plain(calls, parent),
  "cost on the agent, tokens on the calls": (calls, parent) =>
    isTold(calls)
      ? around(parent, reported(calls, { kind: "AGENT", token_usage: null }), (id) =>
          plain(calls, id).map((span) => Object.assign(span, { cost: null })),
        )
      : plain(calls, parent),
  "cost without tokens within the call": each((one, parent) =>
    one.dollars === null
      ? plain([one], parent)
      : around(parent, reported([one], { kind: "LLM", cost: null }), (id) =>
          plain([one], id).map((span) => Object.assign(span, { token_usage: null })),
        ),
  ),
  "called by a tool of the call before": (calls, parent) => {
    const [first, ...others] = calls;
    const isOther = others.every(({ model }) => model !== first?.model);
    return first === undefined || !isOther
      ? plain(calls, parent)
      : around(parent, reported([first], { kind: "LLM" }), (id) =>
          around(id, { kind: "TOOL" }, (tool) => plain(others, tool)),
        );
  },
};

test("a trace's sums are the bill of its model calls, however they are instrumented and whenever spans arrive", () => {
  const groups = fc.array(
    fc.tuple(fc.constantFrom(...Object.values(instrumentations)), fc.array(call, { minLength: 1, maxLength: 3 })),
    { minLength: 1, maxLength: 5 },
  );
  const traces = groups
    .map((list) => {
      const spans = list.flatMap(([instrument, calls]) => instrument(calls, "root"));
      return {
        calls: list.flatMap(([, calls]) => calls),
        spans: [spanWith("root", null, { kind: "AGENT" }), ...spans],
      };
    })
    .chain(({ calls, spans }) => fc.record({ calls: fc.constant(calls), spans: shuffled(spans), batchSizes: sizes }));
  fc.assert(
    fc.property(traces, ({ calls, spans, batchSizes }) => {
      const last = Array.from(arrivals(inBatches(spans, batchSizes))).at(-1);
      const contributions = last?.sums.contributions ?? [];
      expect(totalTokens(contributions)).toBe(calls.reduce((sum, one) => sum + one.prompt + one.completion, 0));
      expect(totalCost(contributions)).toBe(addCosts(calls.map(dollarsOf)));
      expect(last?.sums.facts.unpricedTokens).toBe(0);
    }),
    { seed: 114, numRuns: 500 },
  );
});
