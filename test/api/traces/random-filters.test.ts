import { randomUUID } from "node:crypto";
import { beforeAll, expect, inject, test } from "vitest";
import { createTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { createSessionScore } from "../../../lib/contract/scores/session-scores.ts";
import { createTraceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { listSessions } from "../../../lib/contract/sessions/sessions.ts";
import { getTraceAnalytics } from "../../../lib/contract/traces/analytics.ts";
import { createTraces } from "../../../lib/contract/traces/batch.ts";
import { listTraces, listUsers } from "../../../lib/contract/traces/traces.ts";
import {
  amountsFit,
  type Asked,
  scoresFit,
  type SentTrace,
  traceFits,
  wordsFit,
} from "../../support/filters/reference.ts";
import { type Random, seeded } from "../../support/random.ts";
import type { Client } from "../../support/service/client.ts";
import { declaringProject } from "../../support/service/declaring.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { people } from "../../support/users.ts";
import { freshSeed } from "../../support/vitest/fresh-seed.ts";

const seed = freshSeed();
const random = seeded(seed);
const { organization } = people();

/** Questions of each list. `FILTERS_RUNS=500 npx vitest run test/api/traces/random-filters.test.ts` asks more. */
const runs = Number(process.env["FILTERS_RUNS"] ?? 6);

const start = Date.UTC(2026, 9, 1, 9);
const models = ["model-a", "model-b", "model-c"] as const;
const tools = ["search", "refund", "mail"] as const;
const releases = ["2.2", "2.3"] as const;
const environments = ["production", "staging"] as const;
const names = ["quality", "helpful", "topic"] as const;
const sessions = ["s-1", "s-2", "s-3", "s-4", "s-5"] as const;

const someScore = (random: Random): SentTrace["scores"][number] => {
  const name = random.pick(names);
  if (name === "quality") return { name, type: "NUMERIC", value: String(random.below(9) / 8) };
  if (name === "helpful") return { name, type: "BOOLEAN", value: String(random.chance(0.5)) };
  return { name, type: "CATEGORICAL", value: random.pick(["billing", "0.5", "other"]) };
};

/** Scores in the order in which they are sent; the last of a name is the newest. */
const someScores = (random: Random): SentTrace["scores"] =>
  Array.from({ length: random.below(4) }, () => someScore(random));

const newestOf = (scores: SentTrace["scores"]): SentTrace["scores"] =>
  scores.filter(({ name }, index) => scores.findLastIndex((each) => each.name === name) === index);

const orNull = <Value>(random: Random, chance: number, value: Value): Value | null =>
  random.chance(chance) ? value : null;

const sent = Array.from({ length: 30 }, (_, index): SentTrace & { readonly given: SentTrace["scores"] } => {
  const own = random.fork(index);
  const called = tools.filter(() => own.chance(0.35));
  const given = someScores(own);
  return {
    id: randomUUID(),
    name: `trace ${index}`,
    startMs: start + own.below(48) * 1_800_000,
    latencyMs: orNull(own, 0.8, own.below(40) * 100),
    failed: own.chance(0.2),
    cost: own.below(16) / 16,
    tokens: own.below(8) * 100,
    model: orNull(own, 0.8, own.pick(models)),
    tools: called,
    failedTools: own.below(called.length + 1),
    release: orNull(own, 0.8, own.pick(releases)),
    environment: orNull(own, 0.8, own.pick(environments)),
    session: orNull(own, 0.7, own.pick(sessions)),
    user: orNull(own, 0.8, own.pick(["u-1", "u-2", "u-3", "u-4"])),
    metadata: {
      ...(own.chance(0.7) && { tier: own.pick(["gold", "silver"]) }),
      ...(own.chance(0.5) && { seats: own.between(1, 3) }),
    },
    scores: newestOf(given),
    given,
  };
});

const sessionScores = new Map(sessions.map((session) => [session as string, someScores(random.fork(session))]));

const bodyOf = (trace: SentTrace) => {
  const started_at = new Date(trace.startMs).toISOString();
  const { model, release, environment, metadata, name } = trace;
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
    spans: [
      {
        name: "call",
        kind: "LLM",
        started_at,
        model,
        token_usage: { prompt_tokens: trace.tokens },
        cost: { total: trace.cost },
      },
      ...trace.tools.map((tool, index) => ({
        name: tool,
        kind: "TOOL",
        started_at,
        status: index < trace.failedTools ? "ERROR" : "OK",
      })),
    ],
  };
};

let project: Client;

beforeAll(async () => {
  project = await declaringProject(inject("service"), organization, ["tier", "seats"]);
  await project.answer(createTraces, { body: { traces: sent.map(bodyOf) } });
  const inOrder = async (scores: SentTrace["scores"], send: (body: object) => Promise<unknown>) => {
    for (const { name, value, type } of scores) await send({ name, value, data_type: type });
  };
  await Promise.all([
    ...sent.map(({ id: trace_id, given }) =>
      inOrder(given, (body) => project.answer(createTraceScore, { body: { ...body, trace_id } })),
    ),
    ...[...sessionScores]
      .filter(([session]) => sent.some((trace) => trace.session === session))
      .map(([session_id, given]) =>
        inOrder(given, (body) => project.answer(createSessionScore, { body: { ...body, session_id } })),
      ),
  ]);
  // The newest scores lag by seconds.
  const told = (scores: SentTrace["scores"]) =>
    JSON.stringify(scores.map(({ name, value }) => [name, value]).toSorted());
  await eventually(async () => {
    const query = { limit: 200, include: "scores" };
    const { items } = await project.answer(listTraces, { query });
    const grouped = (await project.answer(listSessions, { query })).items;
    const ready =
      sent.every(({ id, scores }) => {
        const found = items.find(({ trace_id }) => trace_id === id)?.scores ?? [];
        return JSON.stringify(found.map(({ name, value }) => [name, value])) === told(scores);
      }) &&
      grouped.every(({ session_id: id, scores = [] }) => {
        const own = JSON.stringify(scores.map(({ name, value }) => [name, value]));
        return own === told(newestOf(sessionScores.get(id) ?? []));
      });
    return ready || undefined;
  });
});

const someCondition = (random: Random): NonNullable<Asked["score"]>[number] => {
  const name = random.pick(names);
  const value = name === "quality" ? String(random.below(9) / 8) : random.pick(["true", "false", "billing", "0.5"]);
  const textual = Number.isNaN(Number(value));
  return { name, value, operator: random.pick(textual ? ["=", "!="] : ["<", "<=", ">", ">=", "=", "!="]) };
};

/** A few filters of those that are named, each with its value. */
const someAsked = (random: Random, without: readonly (keyof Asked)[] = []): Asked => {
  const makers: Readonly<Record<keyof Asked, () => Asked[keyof Asked]>> = {
    has_error: () => random.chance(0.5),
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
      .filter(([name]) => !without.includes(name as keyof Asked) && random.chance(0.16))
      .map(([name, make]) => [name, make()]),
  );
};

const conditionsOf = ({ score }: Asked): string[] | undefined =>
  score?.map(({ name, operator, value }) => `${name}${operator}${value}`);

const queryOf = ({ metadata = {}, score, no_score, ...plain }: Asked) => ({
  ...Object.fromEntries(Object.entries(plain).map(([name, value]) => [name, String(value)])),
  ...Object.fromEntries(Object.entries(metadata).map(([key, value]) => [`metadata.${key}`, value])),
  ...(score !== undefined && { score: conditionsOf({ score }) ?? [] }),
  ...(no_score !== undefined && { no_score }),
});

const columns: Readonly<Record<string, (trace: SentTrace) => number | null>> = {
  cost: ({ cost }) => cost,
  tokens: ({ tokens }) => tokens,
  latency: ({ latencyMs }) => latencyMs,
  errors: ({ failedTools }) => failedTools,
  score: ({ scores }) => {
    const found = scores.find(({ name }) => name === "quality");
    return found === undefined ? null : Number(found.value);
  },
};

const ordered = <Item>(
  items: readonly Item[],
  direction: string,
  value: (item: Item) => number | null,
  id: (item: Item) => string,
): readonly Item[] => {
  const sign = direction === "asc" ? 1 : -1;
  return items.toSorted((a, b) => {
    const [left, right] = [value(a), value(b)];
    if (left === null || right === null)
      return left === right ? sign * (id(a) < id(b) ? -1 : 1) : left === null ? 1 : -1;
    return sign * (left - right || (id(a) < id(b) ? -1 : 1));
  });
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const summed = (traces: readonly SentTrace[]) => ({
  latencyMs: traces.every(({ latencyMs }) => latencyMs === null)
    ? null
    : sum(traces.map(({ latencyMs }) => latencyMs ?? 0)),
  cost: sum(traces.map(({ cost }) => cost)),
  tokens: sum(traces.map(({ tokens }) => tokens)),
});

const groups = (traces: readonly SentTrace[], by: (trace: SentTrace) => string | null) => [
  ...Map.groupBy(
    traces.filter((trace) => by(trace) !== null),
    (trace) => by(trace) ?? "",
  ),
];

test.each(Array.from({ length: runs }, (_, run) => run))(
  `random filters of seed ${seed}, %i: as they are meant`,
  async (run) => {
    const own = random.fork(`run ${run}`);
    const asked = someAsked(own);
    const [column, direction] = [own.pick(["cost", "tokens", "latency", "errors", "score"]), own.pick(["asc", "desc"])];
    const [limit, offset] = [own.between(1, 20), own.below(4)];
    const paging = { limit, offset, sort_by: column, sort_order: direction, sort_metric: "quality" };
    const matching = sent.filter((trace) => traceFits(trace, asked));

    const page = await project.answer(listTraces, { query: { ...queryOf(asked), ...paging } });
    const inOrder = ordered(matching, direction, columns[column] ?? (() => null), ({ id }) => id);
    expect(
      [page.total, page.items.map(({ name }) => name)],
      `asked ${JSON.stringify({ asked, column, direction })}`,
    ).toEqual([matching.length, inOrder.slice(offset, offset + limit).map(({ name }) => name)]);

    const users = await project.answer(listUsers, { query: { ...queryOf(asked), limit: 200, sort_by: "cost" } });
    expect(users.items.map(({ user_id: id, trace_count: count, total_cost: cost }) => [id, count, cost])).toEqual(
      ordered(
        groups(matching, ({ user }) => user),
        "desc",
        ([, traces]) => summed(traces).cost,
        ([id]) => id,
      ).map(([id, traces]) => [id, traces.length, summed(traces).cost]),
    );

    const { metadata, score, ...others } = asked;
    const filters = {
      ...others,
      ...(metadata !== undefined && { metadata }),
      ...(score !== undefined && { score: conditionsOf(asked) }),
    };
    const estimate = await project.call(createTraceRun, {
      query: { dry_run: "true" },
      body: { metrics: ["confidence"], filters },
    });
    expect(estimate).toMatchObject({ status: 200, body: { targets: matching.length } });

    const range = { started_after: "2026-10-01", started_before: "2026-10-03", granularity: "week" };
    // Every name has it: what is asked without a filter comes from sums, which may lag.
    const filtered = { ...queryOf(asked), ...range, name: "trace" };
    const volume = await project.answer(getTraceAnalytics, { query: filtered });
    const cost = await project.answer(getTraceAnalytics, { query: { ...filtered, metric: "cost" } });
    expect(sum(volume.map((bucket) => ("trace_count" in bucket ? bucket.trace_count : 0)))).toBe(matching.length);
    expect(sum(cost.map((bucket) => ("total_cost" in bucket && "bucket" in bucket ? bucket.total_cost : 0)))).toBe(
      summed(matching).cost,
    );

    const ofSessions = someAsked(own.fork("sessions"), ["has_session", "has_error"]);
    const found = await project.answer(listSessions, {
      query: { ...queryOf(ofSessions), limit: 200, sort_by: "tokens", sort_order: direction },
    });
    const kept = groups(
      sent.filter((trace) => wordsFit(trace, ofSessions)),
      ({ session }) => session,
    ).filter(
      ([id, traces]) =>
        amountsFit(summed(traces), ofSessions) && scoresFit(newestOf(sessionScores.get(id) ?? []), ofSessions),
    );
    expect(
      found.items.map(({ session_id: id }) => id),
      `asked ${JSON.stringify(ofSessions)}`,
    ).toEqual(
      ordered(
        kept,
        direction,
        ([, traces]) => summed(traces).tokens,
        ([id]) => id,
      ).map(([id]) => id),
    );
  },
);
