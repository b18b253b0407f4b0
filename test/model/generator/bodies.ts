import type { Random } from "../../support/random.ts";
import type { Micros } from "../instant.ts";
import { someEnd, someInstant, someStart, timestampText } from "./instants.ts";
import type { Pools } from "./pools.ts";
import { oddTexts, someJson, someObject, someUuid } from "./values.ts";

const statuses = ["PENDING", "RUNNING", "COMPLETED", "COMPLETED", "ERROR"] as const;
const spanKinds = ["AGENT", "TOOL", "LLM", "RETRIEVER", "CHAIN", "EMBEDDING", "OTHER"] as const;
const spanStatuses = ["UNSET", "OK", "ERROR"] as const;

type Body = Readonly<Record<string, unknown>>;

/** Multiples of one eighth, whose sums are exact in any order. */
const someTokens = (random: Random): number =>
  random.chance(0.9) ? random.below(2000) : random.pick([0.5, 0.25, 2.5, 1_000_000_000_000]);

const someCost = (random: Random): number => random.below(4096) / 1024;

/** Fields, each included with the given probability. */
const someFields = (random: Random, chance: number, fields: Readonly<Record<string, () => unknown>>): Body =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(() => random.chance(chance))
      .map(([key, make]) => [key, random.chance(0.12) ? null : make()]),
  );

const usage = (random: Random): Body => ({
  ...someFields(random, 0.7, { prompt_tokens: () => someTokens(random), completion_tokens: () => someTokens(random) }),
  ...someFields(random, 0.15, {
    cache_read_tokens: () => someTokens(random),
    cache_write_tokens: () => someTokens(random),
    reasoning_tokens: () => someTokens(random),
  }),
  ...(random.chance(0.2) && { total_tokens: 77, detail: someJson(random, 1) }),
});

const content = (random: Random) => ({ input: () => someJson(random), output: () => someJson(random) });

const sometimes = (random: Random, chance: number, key: string, make: () => unknown): Body =>
  random.chance(chance) ? { [key]: make() } : {};

const spanFields = (random: Random, pools: Pools, start: Micros) => ({
  ...content(random),
  kind: () => random.pick(spanKinds),
  status: () => random.pick(spanStatuses),
  model: () => (random.chance(0.4) ? random.pick(pools.priced) : random.pick(pools.models)),
  token_usage: () => usage(random),
  ended_at: () => timestampText(random, someEnd(random, start)),
  error: () => random.pick(oddTexts),
  completion_start_time: () => timestampText(random, someEnd(random, start)),
  model_parameters: () => someObject(random),
  cost: () => ({
    ...someFields(random, 0.8, { total: () => someCost(random) }),
    ...sometimes(random, 0.1, "currency", () => "EUR"),
  }),
});

/** A span as sent by a client: near the trace's start or hours away, sometimes with an existing id. */
const someSpan = (random: Random, pools: Pools, near: Micros, id: string): Body => {
  const start = random.chance(0.7) ? someEnd(random, near) : someInstant(random);
  return {
    span_id: random.chance(0.1) ? id.toUpperCase() : id,
    name: random.pick(pools.names),
    started_at: timestampText(random, start),
    ...sometimes(random, 0.4, "parent_span_id", () => random.pick(pools.spans)),
    ...sometimes(random, 0.3, "metadata", () => someObject(random)),
    ...someFields(random, 0.45, spanFields(random, pools, start)),
  };
};

const someSpans = (random: Random, pools: Pools, near: Micros): readonly Body[] =>
  Array.from({ length: random.chance(0.05) ? random.between(20, 60) : random.below(5) }, () =>
    someSpan(random, pools, near, random.chance(0.6) ? random.pick(pools.spans) : someUuid(random)),
  );

const someTags = (random: Random, pools: Pools): readonly string[] =>
  Array.from({ length: random.below(4) }, () => random.pick(pools.tags));

const labels = (random: Random, pools: Pools) => ({
  session_id: () => random.pick(pools.sessions),
  user_id: () => random.pick(pools.users),
  environment: () => random.pick(["production", "staging", ...oddTexts]),
  release: () => random.pick(["2026.10.1", ...oddTexts]),
});

/** A trace as sent by a client. */
export const someTrace = (random: Random, pools: Pools, id: string): Body => {
  const start = someStart(random);
  return {
    trace_id: random.chance(0.1) ? id.toUpperCase() : id,
    name: random.pick(pools.names),
    started_at: timestampText(random, start),
    ...someFields(random, 0.7, {
      ...content(random),
      ...labels(random, pools),
      status: () => random.pick(statuses),
      ended_at: () => timestampText(random, someEnd(random, start)),
    }),
    ...sometimes(random, 0.5, "metadata", () => someObject(random)),
    ...sometimes(random, 0.6, "tags", () => someTags(random, pools)),
    ...sometimes(random, 0.8, "spans", () => someSpans(random, pools, start)),
    ...sometimes(random, 0.1, "unknown", () => 1),
  };
};

/** At least one span to add to a trace; some have no id. */
export const someMoreSpans = (random: Random, pools: Pools): readonly Body[] =>
  Array.from({ length: random.between(1, 4) }, () => {
    const span = someSpan(random, pools, someInstant(random), random.pick(pools.spans));
    return random.chance(0.3) ? { ...span, span_id: null } : span;
  });

/** A patch of a trace; null clears or is ignored, depending on the field. */
export const someTracePatch = (random: Random, pools: Pools): Body =>
  someFields(random, 0.25, {
    ...content(random),
    ...labels(random, pools),
    name: () => random.pick(pools.names),
    status: () => random.pick(statuses),
    metadata: () => someObject(random),
    tags: () => someTags(random, pools),
    ended_at: () => timestampText(random, someInstant(random)),
  });

export const someSpanPatch = (random: Random, pools: Pools): Body =>
  someFields(random, 0.25, {
    ...spanFields(random, pools, someInstant(random)),
    name: () => random.pick(pools.names),
    metadata: () => someObject(random),
  });
