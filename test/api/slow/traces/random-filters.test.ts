import { beforeAll, expect, inject, test } from "vitest";
import { createTraceRun } from "../../../../lib/contract/runs/trace-runs.ts";
import { createSessionScore } from "../../../../lib/contract/scores/session-scores.ts";
import { createTraceScore } from "../../../../lib/contract/scores/trace-scores.ts";
import { listSessions } from "../../../../lib/contract/sessions/sessions.ts";
import { getTraceAnalytics } from "../../../../lib/contract/traces/analytics.ts";
import { createTraces } from "../../../../lib/contract/traces/batch.ts";
import { listTraces, listUsers } from "../../../../lib/contract/traces/traces.ts";
import { derivedUuid } from "../../../../lib/domain/access/identity.ts";
import {
  amountsFit,
  type ReferenceFilters,
  scoresFit,
  type SentTrace,
  countFits,
  traceFits,
  wordsFit,
  hasFailure,
} from "../../../support/filters/reference.ts";
import { type Random, seeded } from "../../../support/random.ts";
import type { Client } from "../../../support/service/client.ts";
import { declaringProject } from "../../../support/service/declaring-project.ts";
import { eventually } from "../../../support/service/local-fixture.ts";
import { people } from "../../../support/users.ts";
import { freshSeed } from "../../../support/vitest/fresh-seed.ts";

const seed = Number(process.env["FILTERS_SEED"] ?? freshSeed());
const random = seeded(seed);
const { organization } = people();

/** Number of queries of each kind. `npm run filters` tests more. A title has the seed, which `FILTERS_SEED` sets to repeat a failure. */
const runs = Number(process.env["FILTERS_RUNS"] ?? 6);

const start = Date.UTC(2026, 9, 1, 9);
const models = ["model-a", "model-b", "model-c"] as const;
const tools = ["search", "refund", "mail"] as const;
const releases = ["2.2", "2.3"] as const;
const environments = ["production", "staging"] as const;
const names = ["quality", "helpful", "topic"] as const;
const users = ["u-1", "u-2", "u-3", "u-4"] as const;
const prompts = [
  { name: "greet", version: "1" },
  { name: "greet", version: "2" },
  { name: "plan", version: "1" },
] as const;
const experiments = ["nightly 1", "nightly 2"] as const;
const items = ["item-1", "item-2", "item-3"] as const;
const sessions = ["s-1", "s-2", "s-3", "s-4", "s-5"] as const;

const someScore = (random: Random): SentTrace["scores"][number] => {
  const name = random.pick(names);
  if (name === "quality") return { name, type: "NUMERIC", value: String(random.below(9) / 8) };
  if (name === "helpful") return { name, type: "BOOLEAN", value: String(random.chance(0.5)) };
  return { name, type: "CATEGORICAL", value: random.pick(["billing", "0.5", "other"]) };
};

/** Scores in the order in which they are sent; the last one of a name is the newest. */
const someScores = (random: Random): SentTrace["scores"] =>
  Array.from({ length: random.below(4) }, () => someScore(random));

const newestOf = (scores: SentTrace["scores"]): SentTrace["scores"] =>
  scores.filter(({ name }, index) => scores.findLastIndex((each) => each.name === name) === index);

const orNull = <Value>(random: Random, chance: number, value: Value): Value | null =>
  random.chance(chance) ? value : null;

const sentTraces = Array.from({ length: 30 }, (_, index): SentTrace & { readonly allScores: SentTrace["scores"] } => {
  const generator = random.fork(index);
  const calledTools = tools.filter(() => generator.chance(0.35));
  const failedTools = generator.below(calledTools.length + 1);
  const allScores = someScores(generator);
  return {
    id: derivedUuid("random filters", String(seed), String(index)),
    name: `trace ${index}`,
    startMs: start + generator.below(48) * 1_800_000,
    latencyMs: orNull(generator, 0.8, generator.below(40) * 100),
    failed: generator.chance(0.2),
    cost: generator.below(16) / 16,
    tokens: generator.below(8) * 100,
    model: orNull(generator, 0.8, generator.pick(models)),
    tools: calledTools,
    failedTools,
    release: orNull(generator, 0.8, generator.pick(releases)),
    environment: orNull(generator, 0.8, generator.pick(environments)),
    session: orNull(generator, 0.7, generator.pick(sessions)),
    user: orNull(generator, 0.8, generator.pick(users)),
    prompts: prompts.filter(() => generator.chance(0.3)),
    experiment: orNull(generator, 0.5, generator.pick(experiments)),
    item: orNull(generator, 0.5, generator.pick(items)),
    // Of simultaneous errors the one with the lower text.
    firstError:
      calledTools
        .slice(0, failedTools)
        .map((tool) => `no ${tool}`)
        .toSorted()[0] ?? null,
    tags: ["eu", "us", "a,b"].filter(() => generator.chance(0.4)),
    metadata: {
      ...(generator.chance(0.7) && { tier: generator.pick(["gold", "silver"]) }),
      ...(generator.chance(0.5) && { seats: generator.between(1, 3) }),
    },
    scores: newestOf(allScores),
    allScores,
  };
});

const sessionScores = new Map(sessions.map((session) => [session as string, someScores(random.fork(session))]));

const bodyOf = (trace: SentTrace) => {
  const started_at = new Date(trace.startMs).toISOString();
  const { model, release, environment, metadata, name, tags } = trace;
  return {
    trace_id: trace.id,
    name,
    started_at,
    ended_at: trace.latencyMs === null ? null : new Date(trace.startMs + trace.latencyMs).toISOString(),
    status: trace.failed ? "ERROR" : "COMPLETED",
    session_id: trace.session,
    user_id: trace.user,
    release,
    environment,
    metadata,
    tags,
    spans: [
      {
        name: "call",
        kind: "LLM",
        started_at,
        model,
        token_usage: { prompt_tokens: trace.tokens },
        cost: { total: trace.cost },
        metadata: { "otel.experiment": trace.experiment, "otel.experiment_item": trace.item },
      },
      ...trace.prompts.map((prompt) => ({
        name: "prompt",
        started_at,
        metadata: { "otel.prompt_name": prompt.name, "otel.prompt_version": prompt.version },
      })),
      ...trace.tools.map((tool, index) => ({
        name: tool,
        kind: "TOOL",
        started_at,
        status: index < trace.failedTools ? "ERROR" : "OK",
        error: index < trace.failedTools ? `no ${tool}` : null,
      })),
    ],
  };
};

let project: Client;

beforeAll(async () => {
  project = await declaringProject(inject("service"), organization, ["tier", "seats"]);
  await project.answer(createTraces, { body: { traces: sentTraces.map(bodyOf) } });
  const inOrder = async (scores: SentTrace["scores"], send: (body: object) => Promise<unknown>) => {
    for (const { name, value, type } of scores) await send({ name, value, data_type: type });
  };
  await Promise.all([
    ...sentTraces.map(({ id: trace_id, allScores }) =>
      inOrder(allScores, (body) => project.answer(createTraceScore, { body: { ...body, trace_id } })),
    ),
    ...[...sessionScores]
      .filter(([session]) => sentTraces.some((trace) => trace.session === session))
      .map(([session_id, allScores]) =>
        inOrder(allScores, (body) => project.answer(createSessionScore, { body: { ...body, session_id } })),
      ),
  ]);
  // The newest scores lag writes by seconds.
  const textOf = (scores: SentTrace["scores"]) =>
    JSON.stringify(scores.map(({ name, value }) => [name, value]).toSorted());
  await eventually(async () => {
    const query = { limit: 200, include: "scores" };
    const { items } = await project.answer(listTraces, { query });
    const grouped = (await project.answer(listSessions, { query })).items;
    const ready =
      sentTraces.every(({ id, scores }) => {
        const traceScores = items.find(({ trace_id }) => trace_id === id)?.scores ?? [];
        return JSON.stringify(traceScores.map(({ name, value }) => [name, value])) === textOf(scores);
      }) &&
      grouped.every(({ session_id: id, scores = [] }) => {
        const groupText = JSON.stringify(scores.map(({ name, value }) => [name, value]));
        return groupText === textOf(newestOf(sessionScores.get(id) ?? []));
      });
    return ready || undefined;
  });
});

const someCondition = (random: Random): NonNullable<ReferenceFilters["score"]>[number] => {
  const name = random.pick(names);
  const value = name === "quality" ? String(random.below(9) / 8) : random.pick(["true", "false", "billing", "0.5"]);
  const textual = Number.isNaN(Number(value));
  return { name, value, operator: random.pick(textual ? ["=", "!="] : ["<", "<=", ">", ">=", "=", "!="]) };
};

const someInstant = (random: Random): string => new Date(start + random.below(48) * 1_800_000).toISOString();

/** A few filters with random values, except those in `without`. */
const someFilters = (random: Random, without: readonly (keyof ReferenceFilters)[] = []): ReferenceFilters => {
  const makers: Readonly<Record<keyof ReferenceFilters, () => ReferenceFilters[keyof ReferenceFilters]>> = {
    date_from: () => someInstant(random),
    date_to: () => someInstant(random),
    status: () => random.pick<"ERROR" | "COMPLETED">(["ERROR", "COMPLETED"]),
    user_id: () => random.pick(users),
    session_id: () => random.pick(sessions),
    tags: () => random.pick([["eu"], ["us", "a,b"], ["nobody's"]]),
    name: () => random.pick(["TRACE 1", "ce 2", "nobody's"]),
    has_error: () => random.chance(0.5),
    has_failed_span: () => random.chance(0.5),
    min_latency_ms: () => random.below(40) * 100,
    max_latency_ms: () => random.below(60) * 100,
    min_cost: () => random.below(12) / 16,
    max_cost: () => random.below(24) / 16,
    min_tokens: () => random.below(8) * 100,
    max_tokens: () => random.below(12) * 100,
    model: () => random.pick([...models, "nobody's"]),
    tool: () => random.pick([...tools, "nobody's"]),
    release: () => random.pick(releases),
    environment: () => random.pick(environments),
    has_session: () => random.chance(0.5),
    prompt_name: () => random.pick(["greet", "plan"]),
    prompt_version: () => random.pick(["1", "2"]),
    experiment: () => random.pick(experiments),
    experiment_item_id: () => random.pick(items),
    first_error: () => `no ${random.pick(tools)}`,
    metadata: () =>
      random.pick<Readonly<Record<string, string>>>([
        { tier: "gold" },
        { tier: "silver", seats: "2" },
        { seats: String(random.between(1, 3)) },
      ]),
    score: () => Array.from({ length: random.between(1, 2) }, () => someCondition(random)),
    no_score: () => [random.pick(names)],
  };
  return Object.fromEntries(
    Object.entries(makers)
      .filter(([name]) => !without.includes(name as keyof ReferenceFilters) && random.chance(0.12))
      .map(([name, make]) => [name, make()]),
  );
};

const conditionsOf = ({ score }: ReferenceFilters): string[] | undefined =>
  score?.map(({ name, operator, value }) => `${name}${operator}${value}`);

const queryOf = ({ metadata = {}, score, no_score, tags, ...plain }: ReferenceFilters) => ({
  ...Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, String(value)])),
  ...Object.fromEntries(Object.entries(metadata).map(([key, value]) => [`metadata.${key}`, value])),
  ...(score !== undefined && { score: conditionsOf({ score }) ?? [] }),
  ...(no_score !== undefined && { no_score }),
  ...(tags !== undefined && { tags }),
});

const traceColumns = ["cost", "tokens", "latency", "errors", "score"] as const;
const columns: Readonly<Record<(typeof traceColumns)[number], (trace: SentTrace) => number | null>> = {
  cost: ({ cost }) => cost,
  tokens: ({ tokens }) => tokens,
  latency: ({ latencyMs }) => latencyMs,
  errors: ({ failedTools }) => failedTools,
  score: ({ scores }) => {
    const quality = scores.find(({ name }) => name === "quality");
    return quality === undefined ? null : Number(quality.value);
  },
};

const sortedBy = <Item>(
  items: readonly Item[],
  direction: string,
  value: (item: Item) => number | null,
  id: (item: Item) => string,
): readonly Item[] => {
  const sign = direction === "asc" ? 1 : -1;
  return items.toSorted((a, b) => {
    const [first, second] = [value(a), value(b)];
    if (first === null || second === null)
      return first === second ? sign * (id(a) < id(b) ? -1 : 1) : first === null ? 1 : -1;
    return sign * (first - second || (id(a) < id(b) ? -1 : 1));
  });
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const sumsOf = (traces: readonly SentTrace[]) => ({
  latencyMs: traces.every(({ latencyMs }) => latencyMs === null)
    ? null
    : sum(traces.map(({ latencyMs }) => latencyMs ?? 0)),
  cost: sum(traces.map(({ cost }) => cost)),
  tokens: sum(traces.map(({ tokens }) => tokens)),
});

/** Columns by which groups of traces can be sorted. */
const groupColumns = ["cost", "tokens", "latency", "trace_count", "errors"] as const;
const sums: Readonly<Record<(typeof groupColumns)[number], (traces: readonly SentTrace[]) => number | null>> = {
  cost: (traces) => sumsOf(traces).cost,
  tokens: (traces) => sumsOf(traces).tokens,
  latency: (traces) => sumsOf(traces).latencyMs,
  trace_count: ({ length }) => length,
  errors: (traces) => traces.filter(({ failed }) => failed).length,
};

type Group = readonly [id: string, traces: readonly SentTrace[]];

const groups = (traces: readonly SentTrace[], groupOf: (trace: SentTrace) => string | null): readonly Group[] => [
  ...Map.groupBy(
    traces.filter((trace) => groupOf(trace) !== null),
    (trace) => groupOf(trace) ?? "",
  ),
];

const inOrderOf = (
  groupList: readonly Group[],
  direction: string,
  value: (group: Group) => number | null,
): readonly string[] => sortedBy(groupList, direction, value, ([id]) => id).map(([id]) => id);

type List = typeof listTraces | typeof listSessions | typeof listUsers;
type Query = Readonly<Record<string, string | number | readonly string[]>>;
type Item = Awaited<ReturnType<typeof onePage>>["items"][number];

const onePage = async (list: List, query: Query) => {
  const { items, total, next_cursor } = await project.answer<List>(list, { query });
  return { items, total, next_cursor };
};

/** All items of a list, page by page, with the different totals of the pages. */
const readAllPages = async (
  list: List,
  query: Query,
  next: (page: { readonly next_cursor: string | null }, count: number, total: number) => Query | null,
) => {
  const items: Item[] = [];
  const totals = new Set<number>();
  let nextQuery: Query | null = {};
  while (nextQuery !== null) {
    const page: Awaited<ReturnType<typeof onePage>> = await onePage(list, { ...query, ...nextQuery });
    items.push(...page.items);
    totals.add(page.total);
    nextQuery = next(page, items.length, page.total);
    if (page.items.length === 0) break;
  }
  return { items, totals: [...totals] };
};

/** Reads a list in pages by cursor, in pages by offset and all at once. @returns the ids in order, and the totals. */
const readAllWays = async (list: List, query: Query, idOf: (item: Item) => string, limit: number) => {
  const idsAndTotals = ({ items, totals }: Awaited<ReturnType<typeof readAllPages>>) => ({
    ids: items.map(idOf),
    totals,
  });
  const paged = { ...query, limit };
  const byCursor = await readAllPages(list, paged, ({ next_cursor: cursor }) => (cursor === null ? null : { cursor }));
  const byOffset = await readAllPages(list, paged, (_, offset, total) => (offset < total ? { offset } : null));
  const atOnce = await readAllPages(list, { ...query, limit: 200 }, () => null);
  return { query, byCursor: idsAndTotals(byCursor), byOffset: idsAndTotals(byOffset), atOnce: idsAndTotals(atOnce) };
};

/** The expected result of `readAllWays`. */
const allWays = (query: Query, ids: readonly string[]) => {
  const expected = { ids, totals: [ids.length] };
  return { query, byCursor: expected, byOffset: expected, atOnce: expected };
};

const seeds = Array.from({ length: runs }, (_, run) => [seed, run] as const);

test.each(seeds)(
  "random filters of seed %i, %i: exactly the matching traces are listed, in pages of any kind",
  async (_, run) => {
    const generator = random.fork(`run ${run}`);
    const filters = someFilters(generator);
    const [column, direction] = [generator.pick(traceColumns), generator.pick(["asc", "desc"])];
    const scoreSorting = column === "score" ? { sort_metric: "quality" } : {};
    const query = { ...queryOf(filters), sort_by: column, sort_order: direction, ...scoreSorting };
    const matching = sentTraces.filter((trace) => traceFits(trace, filters));
    const inOrder = sortedBy(matching, direction, columns[column], ({ id }) => id);

    const idOf = (item: Item): string => ("trace_id" in item ? item.trace_id : "");
    expect(await readAllWays(listTraces, query, idOf, generator.between(1, 12))).toEqual(
      allWays(
        query,
        inOrder.map(({ id }) => id),
      ),
    );
  },
);

test.each(seeds)(
  "random filters of seed %i, %i: users and sessions are those of the matching traces",
  async (_, run) => {
    const generator = random.fork(`groups ${run}`);
    const filters = someFilters(generator);
    const [column, direction] = [generator.pick(groupColumns), generator.pick(["asc", "desc"])];
    const value = ([, traces]: Group): number | null => sums[column](traces);
    const ofUsers = groups(
      sentTraces.filter((trace) => countFits(trace, filters)),
      ({ user }) => user,
    );
    const userQuery = { ...queryOf(filters), sort_by: column, sort_order: direction };
    const userOf = (item: Item): string => ("user_id" in item ? (item.user_id ?? "") : "");
    expect(await readAllWays(listUsers, userQuery, userOf, generator.between(1, 3))).toEqual(
      allWays(userQuery, inOrderOf(ofUsers, direction, value)),
    );

    const ofSessions = someFilters(generator.fork("sessions"), ["has_session", "session_id", "status", "name"]);
    const isScored = generator.chance(0.3);
    const scoreOf = ([id]: Group): number | null => {
      const score = newestOf(sessionScores.get(id) ?? []).find(({ name }) => name === "quality");
      return score === undefined ? null : Number(score.value);
    };
    const expectedGroups = groups(
      sentTraces.filter((trace) => wordsFit(trace, ofSessions)),
      ({ session }) => session,
    ).filter(
      ([id, traces]) =>
        amountsFit(sumsOf(traces), ofSessions) &&
        scoresFit(newestOf(sessionScores.get(id) ?? []), ofSessions) &&
        (ofSessions.has_error === undefined || traces.some(({ failed }) => failed) === ofSessions.has_error) &&
        (ofSessions.has_failed_span === undefined || traces.some(hasFailure) === ofSessions.has_failed_span),
    );
    const order = isScored ? { sort_by: "score", sort_metric: "quality" } : { sort_by: column };
    const sessionQuery = { ...queryOf(ofSessions), ...order, sort_order: direction };
    const sessionOf = (item: Item): string => ("session_id" in item ? (item.session_id ?? "") : "");
    expect(await readAllWays(listSessions, sessionQuery, sessionOf, generator.between(1, 3))).toEqual(
      allWays(sessionQuery, inOrderOf(expectedGroups, direction, isScored ? scoreOf : value)),
    );
  },
);

test.each(seeds)("random filters of seed %i, %i: runs and analytics count the matching traces", async (_, run) => {
  const generator = random.fork(`sums ${run}`);
  const criteria = someFilters(generator);
  const matching = sentTraces.filter((trace) => traceFits(trace, criteria));
  const { metadata, score, ...plainCriteria } = criteria;
  const filters = {
    ...plainCriteria,
    ...(metadata !== undefined && { metadata }),
    ...(score !== undefined && { score: conditionsOf(criteria) }),
  };
  const estimate = await project.call(createTraceRun, {
    query: { dry_run: "true" },
    body: { metrics: ["confidence"], filters },
  });
  expect(estimate, `asked ${JSON.stringify(criteria)}`).toMatchObject({
    status: 200,
    body: { targets: matching.length },
  });

  const counted = sentTraces.filter((trace) => countFits(trace, criteria));
  const range = {
    date_from: "2026-10-01",
    date_to: "2026-10-03",
    granularity: "week",
    // Every trace name has this text: without a filter, analytics come from aggregates, which may lag.
    name: "trace",
  };
  const filtered = { ...range, ...queryOf(criteria) };
  const volume = await project.answer(getTraceAnalytics, { query: filtered });
  const cost = await project.answer(getTraceAnalytics, { query: { ...filtered, metric: "cost" } });
  expect(
    [
      sum(volume.map((bucket) => ("trace_count" in bucket ? bucket.trace_count : 0))),
      sum(cost.map((bucket) => ("total_cost" in bucket && "bucket" in bucket ? bucket.total_cost : 0))),
    ],
    `asked ${JSON.stringify(criteria)}`,
  ).toEqual([counted.length, sumsOf(counted).cost]);
});
