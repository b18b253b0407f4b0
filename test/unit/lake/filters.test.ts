import fc from "fast-check";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listOrder } from "../../../lib/domain/list-order.ts";
import type { ScoresByName } from "../../../lib/domain/score-condition.ts";
import { scoreGivers, type ScoreGiver } from "../../../lib/domain/scores/precedence.ts";
import { scoreSources, type TraceScore } from "../../../lib/domain/scores/score.ts";
import { byCodePoint } from "../../../lib/domain/text.ts";
import { unnumberedName } from "../../../lib/domain/traces/facts.ts";
import { traceFilter, type TraceFilters } from "../../../lib/domain/traces/filter.ts";
import { latencyOf, type ListedTrace } from "../../../lib/domain/traces/row.ts";
import { traceSortColumns, traceSortKey } from "../../../lib/domain/traces/sort.ts";
import { traceStatuses } from "../../../lib/domain/traces/trace.ts";
import { writeDayFiles } from "../../../lib/lake/day-files.ts";
import { parquetOf } from "../../../lib/lake/parquet.ts";
import { lakeScoreRow } from "../../../lib/lake/score-row.ts";
import { lakeTraces } from "../../../lib/lake/trace-list.ts";
import { lakeTraceRow } from "../../../lib/lake/trace-row.ts";
import { packNewest, unpackNewest } from "../../../lib/store/scores/newest/newest-codec.ts";
import { temporaryFolder, testEngine, writeLines } from "../../support/lake/lake.ts";
import { someScore } from "../../support/scores.ts";

const names = ["", "Straße", "ÉTÉ's", 'a "quoted"\u0000name', "ΣΊΣΥΦΟΣ", "\u{1f600} x%_", "İstanbul"] as const;
const labels = ["a", "b'--", "ü", "a,b", "\u{1f600}", ""] as const;
const keys = ["tier", "__proto__", "it's"] as const;
const models = new Map([
  [1, "gpt"],
  [2, "o'model"],
]);
const tools = new Map([
  [1, "search"],
  [2, "\u{1f527}"],
]);
const numbersOf = (byNumber: ReadonlyMap<number, string>) =>
  new Map(Array.from(byNumber, ([number, name]) => [name, number]));
const start = Date.parse("2026-11-20T00:00:00Z");
const microseconds = (number: number): string =>
  `${new Date(start + number * 1000).toISOString().slice(0, 19)}${number % 3 === 0 ? "" : `.${String(number).padStart(6, "0")}`}+00:00`;
const instant = fc.nat(40).map(microseconds);
const label = fc.constantFrom(...labels);
const labelOrNull = fc.option(label);
/** Numbers that rounding, ties and 64 bits could tell apart. */
const amount = fc.constantFrom(0, 1, 100, 0.1 + 0.2, 0.3, 1e-12, 2.5e-10, 12_345.678, 2 ** 53 + 2, 1e18);

const numbered = fc.subarray([unnumberedName, 1, 2]).map((numbers) => ({ numbers, hasMore: false }));
const prompt = fc.record({ name: labelOrNull, version: fc.constantFrom(null, "1", "2") });

const facts = fc.record({
  spans: fc.record({
    errors: fc.nat(2),
    models: numbered,
    tools: numbered,
    costs: fc.constant([]),
    unpricedTokens: fc.nat(9),
  }),
  preview: labelOrNull,
  metadata: fc.uniqueArray(fc.record({ key: fc.constantFrom(...keys), value: labelOrNull }), {
    selector: ({ key }) => key,
  }),
  provenance: fc.record({
    prompts: fc.array(prompt, { maxLength: 2 }),
    experiment: labelOrNull,
    experimentId: labelOrNull,
    experimentItem: labelOrNull,
    dataset: labelOrNull,
  }),
  firstError: fc.option(fc.record({ at: instant, text: label })),
});

const trace: fc.Arbitrary<ListedTrace> = fc
  .record({
    traceId: fc.uuid(),
    name: fc.constantFrom(...names),
    status: fc.constantFrom(...traceStatuses),
    startedAt: instant,
    endedAt: fc.option(instant),
    sessionId: labelOrNull,
    userId: labelOrNull,
    tags: fc.subarray([...labels]),
    environment: labelOrNull,
    release: labelOrNull,
    ending: fc.constant(null),
    spanCount: fc.nat(5),
    firstSpanAt: fc.constant(null),
    lastSpanAt: fc.constant(null),
    totalTokens: amount.map(Math.floor),
    totalCost: amount,
    facts: fc.option(facts),
    arrivedAt: fc.constant(start),
    changedAt: fc.constant(start),
  })
  .map((row) => Object.assign(row, { latency: latencyOf(row.startedAt, row.endedAt) }));

/** A trace with its scores, of which the newest of each name and giver is compared. */
const scoredTrace = fc.record({
  trace,
  expiresAt: fc.constantFrom(null, null, start / 1000, start / 1000 + 1),
  scores: fc.array(
    fc.record({
      id: fc.uuid(),
      name: fc.constantFrom("quality", "m", "m@2", "odd<name"),
      type: fc.constantFrom("NUMERIC", "BOOLEAN", "CATEGORICAL"),
      value: fc.constantFrom(null, "0.5", "1", "-3e2", "true"),
      status: fc.constantFrom("SUCCESS", "SUCCESS", "FAILED"),
      source: fc.constantFrom(...scoreSources),
      applicable: fc.constantFrom(null, true, false),
      created_at: fc.nat(3).map(microseconds),
      metadata: fc.constantFrom({}, { metric_version: 2 }, { metric_version: 3 }),
      trace_version: fc.constantFrom(null, 1, 2),
      content_version: fc.constantFrom(null, 1),
    } as const),
    { maxLength: 8 },
  ),
});
type ScoredTrace = typeof scoredTrace extends fc.Arbitrary<infer Value> ? Value : never;

const valueOf = (type: string, value: string | null): string | null => {
  if (value === null || type === "CATEGORICAL") return value;
  return (value === "true") === (type === "BOOLEAN") ? value : type === "BOOLEAN" ? "false" : "0";
};

const scoresOf = ({ trace, scores }: ScoredTrace): readonly TraceScore[] =>
  scores.map(({ type, value, ...fields }) =>
    someScore({
      ...fields,
      project_id: "project",
      trace_id: trace.traceId,
      data_type: type,
      value: valueOf(type, value),
    }),
  );

/** The newest scores of a trace as the store computes and keeps them. */
const newestScores = (scored: ScoredTrace, giver: ScoreGiver | undefined): ScoresByName => {
  const orderOf = ({ created_at, id }: TraceScore): string => `${created_at}#${id}`;
  const byName = Map.groupBy(
    scoresOf(scored).filter(({ status }) => status === "SUCCESS"),
    ({ name }) => name,
  );
  return new Map(
    [...byName].flatMap(([name, scores]) => {
      const newestFirst = scores.toSorted((a, b) => (orderOf(a) < orderOf(b) ? 1 : -1));
      const person = newestFirst.find(({ source }) => source === "ANNOTATION") ?? null;
      const program = newestFirst.find(({ source }) => source !== "ANNOTATION") ?? null;
      const newest = unpackNewest({ ...packNewest(name, { person, program, failure: null }) }, giver)?.score;
      return newest == null ? [] : [[name, newest] as const];
    }),
  );
};

const condition = fc
  .tuple(
    fc.constantFrom("quality", "m", String.raw`m@2`, String.raw`m\@2`, String.raw`odd\<name`),
    fc.constantFrom("<", "<=", ">", ">=", "=", "!="),
    fc.constantFrom("0.5", "1", "0", "true", "-300"),
  )
  .map((parts) => parts.join(""));

/** Random values of each filter; the compiler asks for those of a new one. */
const filterValues: { readonly [Key in keyof TraceFilters]-?: fc.Arbitrary<NonNullable<TraceFilters[Key]>> } = {
  date_from: instant,
  date_to: instant,
  status: fc.constantFrom(...traceStatuses),
  session_id: label,
  user_id: label,
  tags: fc.subarray([...labels]),
  name: fc.constantFrom("", "STRASSE", "été", "e's", "quoted", "σίσυφος", "%", "i", "\u0000"),
  has_error: fc.boolean(),
  has_failed_span: fc.boolean(),
  min_latency_ms: fc.nat(30_000),
  max_latency_ms: fc.nat(30_000),
  min_cost: amount,
  max_cost: amount,
  min_tokens: amount.map(Math.floor),
  max_tokens: amount.map(Math.floor),
  model: fc.constantFrom(...models.values(), "nobody's"),
  tool: fc.constantFrom(...tools.values(), "nobody's"),
  release: label,
  environment: label,
  has_session: fc.boolean(),
  prompt_name: label,
  prompt_version: fc.constantFrom("1", "2"),
  experiment: label,
  experiment_item_id: label,
  first_error: label,
  metadata: fc.dictionary(fc.constantFrom(...keys), label, { maxKeys: 2, noNullPrototype: true }),
  score: fc.array(condition, { maxLength: 2 }),
  no_score: fc.subarray(["quality", "m@2", "none"]),
};

/** Mostly one or two filters: with more nothing matches. */
const filters = fc
  .subarray(Object.keys(filterValues), { minLength: 0, maxLength: 2 })
  .chain((chosen) =>
    fc.record(Object.fromEntries(Object.entries(filterValues).filter(([name]) => chosen.includes(name)))),
  ) as fc.Arbitrary<TraceFilters>;

const scoreFilters: fc.Arbitrary<TraceFilters> = fc.record(
  { score: filterValues.score, no_score: filterValues.no_score },
  { requiredKeys: [] },
);

const request = fc.record({
  filters: fc.oneof(filters, scoreFilters),
  giver: fc.constantFrom(undefined, ...scoreGivers),
  sortBy: fc.constantFrom("score" as const, ...traceSortColumns),
  order: fc.constantFrom("asc", "desc"),
  limit: fc.constantFrom(1, 5, 100),
  /** Place of the trace among all behind which the list begins, if it has so many. */
  place: fc.constantFrom(null, 0, 4, 15),
});
type Request = typeof request extends fc.Arbitrary<infer Value> ? Value : never;

/** The list as it is computed from rows of the store. */
const fromRows = (traces: readonly ScoredTrace[], { filters, giver, sortBy, order, limit, place }: Request) => {
  const names = {
    model: numbersOf(models).get(filters.model ?? "") ?? unnumberedName,
    tool: numbersOf(tools).get(filters.tool ?? "") ?? unnumberedName,
  };
  const filter = traceFilter(filters, names);
  const matching = traces
    .filter(({ expiresAt }) => expiresAt === null || expiresAt * 1000 > start)
    .map((scored) => ({ trace: scored.trace, scores: newestScores(scored, giver) }))
    .filter(({ trace, scores }) => filter.matches(trace) && (filter.scores?.matches(scores) ?? true))
    .map(({ trace, scores }) => ({
      id: trace.traceId,
      startedAt: trace.startedAt,
      key: sortBy === "score" ? (scores.get("quality")?.number ?? null) : traceSortKey(trace, sortBy),
    }))
    .toSorted(listOrder(order, (a, b) => byCodePoint(a.id, b.id)));
  const after = place === null ? null : (matching[place] ?? null);
  const first = after === null ? 0 : matching.indexOf(after) + 1;
  return { after, page: { traces: matching.slice(first, first + limit), total: matching.length } };
};

test("the files of a day give the same traces in the same order as its rows, for any filters", async () => {
  const directory = temporaryFolder();
  const engine = await testEngine(directory);
  const traceList = fc.uniqueArray(scoredTrace, {
    minLength: 20,
    maxLength: 40,
    selector: ({ trace }) => trace.traceId,
  });
  await fc.assert(
    fc.asyncProperty(traceList, fc.array(request, { minLength: 20, maxLength: 40 }), async (traces, requests) => {
      const lines = {
        traces: writeLines(
          join(directory, "traces.ndjson"),
          traces.map(({ trace, expiresAt }) =>
            lakeTraceRow({ ...trace, contributions: null }, { models, tools }, expiresAt),
          ),
        ),
        scores: writeLines(
          join(directory, "scores.ndjson"),
          traces.flatMap(scoresOf).map((score) => lakeScoreRow(score, null)),
        ),
      };
      const files = await writeDayFiles(engine, lines, null, directory);
      const tables = {
        traces: parquetOf([join(directory, "traces.parquet")]),
        scores: parquetOf([join(directory, "scores.parquet")]),
      };
      expect(files.map(({ rows }) => rows)).toEqual([traces.length, traces.flatMap(scoresOf).length]);
      for (const each of requests) {
        const { after, page } = fromRows(traces, each);
        const query = { ...each, sortScore: "quality", now: start, after };
        expect({ each, page: await lakeTraces(engine, tables, query) }).toEqual({ each, page });
      }
    }),
    { numRuns: 10, endOnFailure: true },
  );
});
