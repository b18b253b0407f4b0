import { beforeAll, expect, inject, test } from "vitest";
import { exampleQueries } from "../../../lib/contract/openapi/page/example-queries.ts";
import { compareTraceScores } from "../../../lib/contract/scores/comparison.ts";
import { createSessionScore } from "../../../lib/contract/scores/session-scores.ts";
import { createTraceScore, listTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { listSessions } from "../../../lib/contract/sessions/sessions.ts";
import { getTraceAnalytics } from "../../../lib/contract/traces/analytics.ts";
import { createTraces } from "../../../lib/contract/traces/batch.ts";
import { listTraces, listUsers } from "../../../lib/contract/traces/traces.ts";
import { derivedUuid } from "../../../lib/domain/access/identity.ts";
import { seeded } from "../../support/random.ts";
import type { Client } from "../../support/service/client.ts";
import { declaringProject } from "../../support/service/declaring-project.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { people } from "../../support/users.ts";

/** Random numbers for a day on which release 2.3 comes at noon: it fails more often, takes longer and costs more. */
const random = seeded(23);
const midnight = Date.UTC(2026, 9, 7);
const release = 12 * 3_600_000;

const maybe = <Value>(chance: number, value: Value): Value | null => (random.chance(chance) ? value : null);

const day = Array.from({ length: 120 }, (_, index) => {
  const after = index * 12 * 60_000 + random.below(600_000);
  const isNew = after > release && random.chance(0.85);
  const fails = random.chance(isNew ? 0.4 : 0.08);
  const isLarge = random.chance(isNew ? 0.7 : 0.3);
  const tools = (["lookup_order", "search", "refund"] as const).filter(() => random.chance(0.4));
  const scoreCount = random.chance(0.75) ? random.between(1, 2) : 0;
  return {
    id: derivedUuid("a bad day", String(index)),
    name: random.pick(["support-agent", "research-agent", "triage"]),
    startMs: midnight + after,
    latencyMs: maybe(0.95, random.between(8, isNew ? 420 : 90) * 100),
    release: isNew ? "2.3" : "2.2",
    fails,
    failedTool: fails || tools.length === 0 ? null : maybe(isNew ? 0.3 : 0.05, random.pick([tools[0] ?? "", ...tools])),
    tools,
    model: isLarge ? "gpt-5.4" : "gpt-5.4-mini",
    // Multiples of 1/64, which add up without rounding.
    cost: (isLarge ? random.between(32, 256) : random.between(1, 48)) / 64,
    session: maybe(0.7, `chat-${random.below(24)}`),
    user: `user-${random.below(15)}`,
    tier: random.pick(["free", "free", "gold"]),
    completion: Array.from({ length: scoreCount }, () => random.below(fails ? 70 : 101) / 100),
  };
});
type Day = (typeof day)[number];

const reliability = new Map(
  [...new Set(day.flatMap(({ session }) => (session === null ? [] : [session])))].map((session) => [
    session,
    random.below(101) / 100,
  ]),
);

const bodyOf = ({ id, name, startMs, latencyMs, fails, session, user, tier, ...trace }: Day) => {
  const started_at = new Date(startMs).toISOString();
  const call = { name: "call", kind: "LLM", started_at, model: trace.model, cost: { total: trace.cost } };
  return {
    trace_id: id,
    name,
    release: trace.release,
    status: fails ? "ERROR" : "COMPLETED",
    started_at,
    ended_at: latencyMs === null ? null : new Date(startMs + latencyMs).toISOString(),
    session_id: session,
    user_id: user,
    metadata: { tier },
    input: tier === "gold" ? "Order (1042): a refund, please." : "Refund the orders 1042 and 104.",
    spans: [
      call,
      ...trace.tools.map((tool) => ({
        name: tool,
        kind: "TOOL",
        started_at,
        status: tool === trace.failedTool ? "ERROR" : "OK",
      })),
    ],
  };
};

const { organization } = people();
let project: Client;

beforeAll(async () => {
  project = await declaringProject(inject("service"), organization, ["tier"]);
  for (const from of [0, 60])
    await project.answer(createTraces, { body: { traces: day.slice(from, from + 60).map(bodyOf) } });
  const scoreInOrder = async ({ id: trace_id, completion }: Day): Promise<void> => {
    for (const value of completion) {
      await project.answer(createTraceScore, { body: { trace_id, name: "task_completion", value } });
    }
  };
  await Promise.all([
    ...day.map(scoreInOrder),
    ...[...reliability].map(([session_id, value]) =>
      project.answer(createSessionScore, { body: { session_id, name: "agent_reliability", value } }),
    ),
  ]);
  // The newest scores lag writes by seconds.
  await eventually(async () => {
    const query = { include: "scores", limit: 200 };
    const traces = await project.answer(listTraces, { query });
    const sessions = await project.answer(listSessions, { query });
    const newest = new Map(traces.items.map(({ trace_id, scores = [] }) => [trace_id, Number(scores[0]?.value ?? -1)]));
    const isComplete =
      day.every(({ id, completion }) => newest.get(id) === (completion.at(-1) ?? -1)) &&
      sessions.items.every(({ scores = [] }) => scores.length === 1);
    return isComplete || undefined;
  });
});

const newestOf = ({ completion }: Day): number | null => completion.at(-1) ?? null;
const hasError = ({ fails, failedTool }: Day): boolean => fails || failedTool !== null;
const isNew = (trace: Day): boolean => trace.release === "2.3";
const below = (value: number | null, bound: number): boolean => value !== null && value < bound;
const sum = (traces: readonly Day[]): number => traces.reduce((total, { cost }) => total + cost, 0);

/** The ids of the items, sorted by a value; nulls are last, and equal values are sorted by id. */
const sorted = <Item>(
  items: readonly Item[],
  value: (item: Item) => number | null,
  id: (item: Item) => string,
  sign: 1 | -1,
): readonly string[] =>
  items
    .toSorted((a, b) => {
      const [first, second] = [value(a), value(b)];
      if ((first === null) !== (second === null)) return first === null ? 1 : -1;
      return sign * ((first ?? 0) - (second ?? 0) || (id(a) < id(b) ? -1 : 1));
    })
    .map(id);

const idOf = ({ id }: Day): string => id;
const groupsOf = (traces: readonly Day[], key: (trace: Day) => string | null) => [
  ...Map.groupBy(
    traces.filter((trace) => key(trace) !== null),
    (trace) => key(trace) ?? "",
  ),
];

type Query = string;
const traces = async (query: Query): Promise<unknown> =>
  (await project.answer(listTraces, { query })).items.map(({ trace_id }) => trace_id);

/** For each question of the documentation page, the call and the expected answer, computed from the sent traces. */
const answers: readonly (readonly [asks: (query: Query) => Promise<unknown>, answer: () => unknown])[] = [
  [
    traces,
    () =>
      sorted(
        day.filter((trace) => isNew(trace) && hasError(trace) && below(newestOf(trace), 0.5)),
        ({ cost }) => cost,
        idOf,
        -1,
      ),
  ],
  [
    traces,
    () =>
      sorted(
        day.filter((trace) => trace.tools.includes("refund") && hasError(trace) && !trace.fails),
        ({ startMs }) => startMs,
        idOf,
        -1,
      ),
  ],
  [
    traces,
    () =>
      sorted(
        day.filter(({ tier, latencyMs }) => tier === "gold" && (latencyMs ?? 0) >= 10_000),
        ({ latencyMs }) => latencyMs,
        idOf,
        -1,
      ).slice(0, 10),
  ],
  [
    async (query) =>
      (await project.answer(listTraces, { query })).items.map(({ trace_id, scores }) => [
        trace_id,
        scores?.map(({ value }) => Number(value)),
      ]),
    () => {
      const matching = day.filter(
        (trace) => trace.model === "gpt-5.4" && trace.cost >= 1 && (newestOf(trace) ?? -1) >= 0.8,
      );
      const scores = new Map(matching.map((trace) => [trace.id, [newestOf(trace)]]));
      return sorted(matching, ({ cost }) => cost, idOf, -1).map((id) => [id, scores.get(id)]);
    },
  ],
  [traces, () => sorted(day.filter(isNew), newestOf, idOf, 1).slice(0, 10)],
  [
    traces,
    () =>
      sorted(
        day.filter((trace) => hasError(trace) && newestOf(trace) === null),
        ({ startMs }) => startMs,
        idOf,
        -1,
      ),
  ],
  [
    traces,
    () =>
      sorted(
        day.filter((trace) => isNew(trace) && trace.tier === "gold"),
        ({ startMs }) => startMs,
        idOf,
        -1,
      ),
  ],
  [
    async (query) =>
      (await project.answer(listSessions, { query })).items.map(({ session_id, total_cost }) => [
        session_id,
        total_cost,
      ]),
    () => {
      const sessionGroups = groupsOf(day.filter(isNew), ({ session }) => session).filter(([id]) =>
        below(reliability.get(id) ?? null, 0.5),
      );
      const costs = new Map(sessionGroups.map(([id, groupTraces]) => [id, sum(groupTraces)]));
      return sorted(
        sessionGroups,
        ([id]) => costs.get(id) ?? null,
        ([id]) => id,
        -1,
      ).map((id) => [id, costs.get(id)]);
    },
  ],
  [
    async (query) =>
      (await project.answer(listUsers, { query })).items.map(({ user_id, total_cost }) => [user_id, total_cost]),
    () => {
      const userGroups = groupsOf(
        day.filter((trace) => isNew(trace) && trace.fails),
        ({ user }) => user,
      );
      const costs = new Map(userGroups.map(([id, groupTraces]) => [id, sum(groupTraces)]));
      return sorted(
        userGroups,
        ([id]) => costs.get(id) ?? null,
        ([id]) => id,
        -1,
      ).map((id) => [id, costs.get(id)]);
    },
  ],
  [
    async (query) =>
      (await project.answer(getTraceAnalytics, { query })).map((bucket) =>
        "bucket" in bucket && "error_count" in bucket
          ? [Date.parse(bucket.bucket), bucket.error_count, bucket.trace_count]
          : [],
      ),
    () =>
      groupsOf(day.filter(isNew), ({ startMs }) => new Date(startMs).toISOString().slice(0, 13)).map(
        ([hour, hourTraces]) => [
          Date.parse(`${hour}:00:00Z`),
          hourTraces.filter(({ fails }) => fails).length,
          hourTraces.length,
        ],
      ),
  ],
  [
    async (query) => (await project.answer(listTraceScores, { query })).items.map(({ value }) => Number(value)),
    () =>
      day
        .flatMap(({ completion }) => completion)
        .filter((value) => value <= 0.5)
        .toSorted((a, b) => a - b)
        .slice(0, 50),
  ],
  [
    async (query) => {
      const { verdict, baseline, candidate, mean } = await project.answer(compareTraceScores, { query });
      return [verdict, baseline.mean.count, candidate.mean.count, mean.difference?.toFixed(6)];
    },
    () => {
      const valuesOf = (release: string) =>
        day.flatMap((trace) => (trace.release === release ? (newestOf(trace) ?? []) : []));
      const meanOf = (values: readonly number[]) => values.reduce((total, value) => total + value, 0) / values.length;
      const [before, after] = [valuesOf("2.2"), valuesOf("2.3")];
      return ["cannot_tell", before.length, after.length, (meanOf(after) - meanOf(before)).toFixed(6)];
    },
  ],
];

test("the documentation has twelve questions, each with its call", () => {
  expect(exampleQueries).toHaveLength(answers.length);
});

test.each(answers.map((_, index) => [exampleQueries[index]?.question ?? `question ${index}`, index] as const))(
  "one call answers: %s",
  async (_, index) => {
    const [ask, answer] = answers[index] ?? [];
    const expected = answer?.();

    expect(expected, "There is something to find.").not.toEqual([]);
    expect(await ask?.(String(new URLSearchParams(exampleQueries[index]?.query)))).toEqual(expected);
  },
);
