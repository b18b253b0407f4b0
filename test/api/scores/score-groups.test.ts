import { beforeAll, expect, inject, test } from "vitest";
import {
  getTraceScoreDistribution,
  getSessionScoreSummary,
  getTraceScoreSummary,
  getTraceScoreTrend,
} from "../../../lib/contract/scores/analytics.ts";
import { compareTraceScores } from "../../../lib/contract/scores/comparison.ts";
import { createSessionScore, listSessionScores } from "../../../lib/contract/scores/session-scores.ts";
import { createTraceScore, listTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { createTraces } from "../../../lib/contract/traces/batch.ts";
import { derivedUuid } from "../../../lib/domain/access/identity.ts";
import { seeded } from "../../support/random.ts";
import type { Client } from "../../support/service/client.ts";
import { declaringProject } from "../../support/service/declaring-project.ts";
import { people } from "../../support/users.ts";

const random = seeded(42);
const releases = ["2.1", "2.2", "2.3"] as const;

/** Sixty traces of three releases: the newest one is worse. The traces of 2.1 belong to sessions of four. */
const data = Array.from({ length: 60 }, (_, index) => {
  const release = releases[index % 3] ?? "2.1";
  const values = Array.from({ length: index % 10 === 2 ? 2 : 1 }, () => {
    const number = random.below(81) / 100;
    return release === "2.3" ? number / 4 : number + 0.2;
  });
  return {
    id: derivedUuid("score groups", String(index)),
    release,
    environment: index % 2 === 0 ? "production" : "staging",
    session: release === "2.1" ? `chat-${Math.floor(index / 12)}` : null,
    tags: index % 4 === 0 ? ["new", "vip"] : index % 4 === 1 ? ["vip"] : [],
    tier: index % 5 === 0 ? "gold, first" : "free",
    latency: 100 * (index + 1),
    cost: (index % 8) / 8,
    fails: release === "2.3" && index % 2 === 0,
    /** Values of `quality` in the order of their creation; the last one is the newest. */
    values,
    isSolved: random.chance(0.6),
  };
});
type Sample = (typeof data)[number];

const { organization } = people();
let project: Client;

beforeAll(async () => {
  project = await declaringProject(inject("service"), organization, ["tier"]);
  const start = Date.UTC(2026, 9, 1);
  const traces = data.map(({ id, latency, session, tier, fails, cost, release, environment, tags }, index) => ({
    release,
    environment,
    tags,
    trace_id: id,
    name: "support",
    session_id: session,
    metadata: { tier },
    status: fails ? "ERROR" : "COMPLETED",
    started_at: new Date(start + index * 3_600_000).toISOString(),
    ended_at: new Date(start + index * 3_600_000 + latency).toISOString(),
    spans: [
      {
        name: "call",
        kind: "LLM",
        started_at: new Date(start).toISOString(),
        cost: { total: cost },
        metadata: { "otel.prompt_name": "greeting", "otel.prompt_version": release === "2.3" ? "8" : "7" },
      },
    ],
  }));
  await project.answer(createTraces, { body: { traces } });
  const score = async ({ id, values, isSolved }: Sample): Promise<void> => {
    for (const value of values)
      await project.answer(createTraceScore, {
        body: { trace_id: id, name: "quality", value: String(value), metadata: { success: value >= 0.5 } },
      });
    await project.answer(createTraceScore, {
      body: { trace_id: id, name: "solved", value: String(isSolved), data_type: "BOOLEAN" },
    });
  };
  await Promise.all(data.map(score));
  for (const session of ["chat-0", "chat-4"])
    await project.answer(createSessionScore, { body: { session_id: session, name: "mood", value: "0.5" } });
});

const newest = ({ values }: Sample): number => values.at(-1) ?? Number.NaN;
const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const medianOf = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return meanOf(sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1));
};

/** Wilson's interval of the mean of twenty independent values from 0 to 1, by their variance with a 0 and a 1 more. */
const intervalOf20 = (values: readonly number[]): { readonly lower: number; readonly upper: number } => {
  const [all, rate, quantile] = [[...values, 0, 1], meanOf(values), 2.093024054408263];
  const variance = meanOf(all.map((value) => (value - meanOf(all)) ** 2));
  const square = (quantile ** 2 * variance) / (20 * meanOf(all) * (1 - meanOf(all)));
  const halfWidth = Math.sqrt(square * rate * (1 - rate) + square ** 2 / 4);
  const [lower, upper] = [-halfWidth, halfWidth].map((half) => (rate + square / 2 + half) / (1 + square));
  return { lower: lower ?? 0, upper: upper ?? 1 };
};

const summaries = (query: Readonly<Record<string, string | string[]>>) =>
  project.answer(getTraceScoreSummary, { query: { metric_name: "quality", ...query } });

test("groups by prompt have its name and version", async () => {
  const rows = await summaries({ group_by: "prompt" });

  const countOf = (isNew: boolean): number => data.filter(({ release }) => (release === "2.3") === isNew).length;
  expect(rows.map(({ group, count }) => [group, count])).toEqual([
    [{ prompt: "greeting@7" }, countOf(false)],
    [{ prompt: "greeting@8" }, countOf(true)],
  ]);
});

test("groups by release have the newest score of each trace, as an independent computation has it", async () => {
  const rows = await summaries({ group_by: "release" });

  expect(rows.map(({ group, unit }) => [group?.["release"], unit])).toEqual(
    releases.map((release) => [release, "trace"]),
  );
  for (const row of rows) {
    const values = data.filter(({ release }) => release === row.group?.["release"]).map(newest);
    const close = (value: number): unknown => expect.closeTo(value, 6);
    expect(row).toMatchObject({
      count: 20,
      success_count: 20,
      is_other: false,
      avg_score: close(meanOf(values)),
      mean: { value: close(meanOf(values)), count: 20 },
      median: { value: close(medianOf(values)) },
      pass_rate: { value: close(values.filter((value) => value >= 0.5).length / 20), count: 20 },
      applicable_rate: { value: 1 },
    });
  }
  const [inSessions, independent] = rows;
  const values = data.filter(({ release }) => release === "2.2").map(newest);
  const { lower, upper } = intervalOf20(values);
  expect(independent?.mean).toMatchObject({
    clusters: 20,
    interval: { lower: expect.closeTo(lower, 6), upper: expect.closeTo(upper, 6) },
  });
  expect(inSessions?.mean).toMatchObject({ clusters: 5 });
});

test.each([
  [{ release: "2.3" }, ({ release }: Sample) => release === "2.3"],
  [
    { environment: "staging", tags: "vip" },
    ({ environment, tags }) => environment === "staging" && tags.includes("vip"),
  ],
  [{ trace_status: "ERROR" }, ({ fails }) => fails],
  [
    { "metadata.tier": "gold, first", min_latency_ms: "2000" },
    ({ tier, latency }) => tier !== "free" && latency >= 2000,
  ],
  [{ session_id: "chat-1" }, ({ session }) => session === "chat-1"],
] as [Record<string, string>, (sample: Sample) => boolean][])(
  "the filters %o select scores in figures and lists",
  async (query, isMatch) => {
    const matches = data.filter(isMatch);
    const [row] = await summaries(query);
    const { items, total } = await project.answer(listTraceScores, {
      query: { ...query, name: "quality", limit: "200" },
    });

    expect(matches.length).toBeGreaterThan(0);
    expect(row).toMatchObject({ count: matches.length, avg_score: expect.closeTo(meanOf(matches.map(newest)), 6) });
    expect(row).not.toHaveProperty("group");
    expect(total).toBe(matches.flatMap(({ values }) => values).length);
    expect(new Set(items.map(({ trace_id: id }) => id))).toEqual(new Set(matches.map(({ id }) => id)));
  },
);

test("a trace counts in the group of each of its tags, and groups of two names are those that occur", async () => {
  const rows = await summaries({ group_by: ["tag", "metadata.tier"] });

  const expected = new Map<string, number>();
  for (const { tags, tier } of data)
    for (const tag of tags.length === 0 ? [null] : tags) {
      const key = JSON.stringify({ tag, "metadata.tier": tier });
      expected.set(key, (expected.get(key) ?? 0) + 1);
    }
  expect(new Map(rows.map(({ group, count }) => [JSON.stringify(group), count]))).toEqual(expected);
});

test("trends and distributions have groups, and every score counts by judge", async () => {
  const query = { metric_name: "quality", group_by: "release" };
  const trend = await project.answer(getTraceScoreTrend, { query: { ...query, granularity: "week" } });
  const distribution = await project.answer(getTraceScoreDistribution, { query: { ...query, buckets: "1" } });
  const [byJudge, ...others] = await summaries({ group_by: "judge" });

  const sum = (rows: readonly { readonly count: number }[]): number => rows.reduce((all, { count }) => all + count, 0);
  expect([sum(trend), sum(distribution)]).toEqual([60, 60]);
  expect(trend.map(({ group }) => group?.["release"])).toEqual(expect.arrayContaining([...releases]));
  expect(trend[0]?.mean).toMatchObject({ value: expect.closeTo(trend[0]?.avg_score ?? 0, 9) });
  expect(byJudge).toMatchObject({
    unit: "score",
    group: { judge: null },
    count: data.flatMap(({ values }) => values).length,
  });
  expect(others).toEqual([]);
});

test("scores of sessions are selected by a trace of the session", async () => {
  const isolated = await declaringProject(inject("service"), organization, ["tier"]);

  const { items } = await project.answer(listSessionScores, { query: { "metadata.tier": "gold, first", tags: "new" } });
  const rows = await project.answer(getSessionScoreSummary, { query: { group_by: "release,environment" } });

  const sessions = new Set(
    data.filter(({ tier, tags }) => tier !== "free" && tags.includes("new")).map(({ session }) => session),
  );
  expect(new Set(items.map(({ session_id: id }) => id))).toEqual(
    new Set(["chat-0", "chat-4"].filter((id) => sessions.has(id))),
  );
  expect(rows).toEqual([
    expect.objectContaining({ unit: "session", group: { release: "2.1", environment: "staging" }, count: 2 }),
  ]);
  expect(await isolated.answer(getTraceScoreSummary, { query: { group_by: "release" } })).toEqual([]);
});

const compared = (baseline: string, candidate: string, query: Readonly<Record<string, string>> = {}) =>
  project.answer(compareTraceScores, { query: { metric_name: "quality", baseline, candidate, ...query } });

test("the worse release is called worse, the same one not, and figures of both sides are reported", async () => {
  const [worse, better, same] = [
    await compared("release:2.2", "release:2.3"),
    await compared("release:2.3", "release:2.2"),
    await compared("release:2.2", "release:2.2"),
  ];

  const [before, after] = ["2.2", "2.3"].map((each) => data.filter(({ release }) => release === each));
  const difference = meanOf(after?.map(newest) ?? []) - meanOf(before?.map(newest) ?? []);
  expect(worse).toMatchObject({
    verdict: "worse",
    reason: null,
    unit: "trace",
    mean: { difference: expect.closeTo(difference, 6), verdict: "worse", method: "newcombe_effective_n" },
    pass_rate: { method: "newcombe_effective_n" },
    baseline: { trace_count: 20, count: 20, error_rate: { value: 0 } },
    candidate: {
      failed_count: 0,
      cost: { value: expect.closeTo(meanOf(after?.map(({ cost }) => cost) ?? []), 9) },
      latency_p50_ms: { value: medianOf(after?.map(({ latency }) => latency) ?? []) },
      error_rate: { value: (after?.filter(({ fails }) => fails).length ?? 0) / 20 },
    },
  });
  expect(worse.mean.p_value).toBeLessThan(0.01);
  // No score of 2.3 passes: equal values have an interval too.
  expect(better).toMatchObject({
    verdict: "not_worse",
    pass_rate: { verdict: "not_worse" },
    mean: { difference: expect.closeTo(-difference, 6), verdict: "not_worse" },
  });
  expect(same).toMatchObject({ verdict: "not_worse", mean: { difference: 0 } });
});

test("sides have several filters with escaped commas, and few scores give no verdict", async () => {
  const comparison = await compared(
    String.raw`release:2.2,metadata.tier:gold\, first`,
    "release:2.3,environment:staging",
    {
      trace_name: "SUPP",
    },
  );

  const matches = data.filter(({ release, tier }) => release === "2.2" && tier !== "free");
  expect(comparison).toMatchObject({
    baseline: { count: matches.length, mean: { interval: null, reason: "too_few" } },
    candidate: { count: 10 },
    verdict: "cannot_tell",
    reason: "too_few",
  });
});

test.each([
  [{ group_by: ["release", "tag", "user_id"] }, /at most 2 names/u],
  [{ group_by: "relese" }, /did you mean release\?/u],
  [{ group_by: "metadata.plan" }, /metadata\.plan/u],
])("the groups %o are refused with a sentence", async (query, message) => {
  const { status, text } = await project.call(getTraceScoreSummary, { query });

  expect([status, text]).toEqual([422, expect.stringMatching(message)]);
});

test.each([
  ["relese:2.2", /did you mean release\?/u],
  ["release", /<name>:<value>/u],
  ["min_cost:much", /Input should be a number/u],
  ["metadata.plan:a", /metadata_keys/u],
])("the side %s is refused with a sentence", async (baseline, message) => {
  const query = { metric_name: "quality", baseline, candidate: "release:2.3" };
  const { status, text } = await project.call(compareTraceScores, { query });

  expect([status, text]).toEqual([422, expect.stringMatching(message)]);
});
