import { join } from "node:path";
import * as v from "valibot";
import { expect, test } from "vitest";
import { type ModelUsage, usageTally } from "../../../lib/domain/analytics/model-usage.ts";
import { figureTally } from "../../../lib/domain/analytics/trace-figures.ts";
import { valueFields, valueTally } from "../../../lib/domain/analytics/value-counts.ts";
import { unnumberedName } from "../../../lib/domain/traces/facts.ts";
import { latencyOf } from "../../../lib/domain/traces/row.ts";
import type { Contribution } from "../../../lib/domain/traces/totals.ts";
import { UserSum } from "../../../lib/domain/traces/user-summary.ts";
import { writeDayFiles } from "../../../lib/lake/day-files.ts";
import { hourSums, sumLookup, type SumLookup, usageSums, userSums, valueSums } from "../../../lib/lake/sum-lookup.ts";
import { lakeTraceRow } from "../../../lib/lake/trace-row.ts";
import { temporaryFolder, testEngine, writeLines } from "../../support/lake/lake.ts";
import { seeded, type Random } from "../../support/random.ts";
import { generateRow } from "../../support/traces/generate-row.ts";
import { freshSeed } from "../../support/vitest/fresh-seed.ts";

const day = Date.parse("2026-11-20T00:00:00Z");
const names = {
  models: new Map([
    [1, "gpt"],
    [2, "o'model"],
  ]),
  tools: new Map([
    [1, "search"],
    [2, "\u{1f527}"],
  ]),
};

/** A trace of an hour, with a latency of any magnitude (none now and then, but in the first hour) and values that occur in several traces. */
const traceOf = (random: Random, hour: number) => {
  const { facts, contributions, ...row } = generateRow(random, day + hour * 3_600_000);
  const label = () => random.pick([null, "", "a", "b'--", "ü", "\u{1f600}"]);
  const endedAt =
    hour > 0 && random.chance(0.1)
      ? null
      : `2026-11-${random.pick(["20", "21", "29"])}T23:59:${String(random.below(60)).padStart(2, "0")}.${String(random.below(1e6)).padStart(6, "0")}+00:00`;
  const numbers = () => [unnumberedName, 1, 2].filter(() => random.chance(0.5));
  // Fractions of tokens, absurd costs and usage too large for a row are not summed up in files.
  const factor = random.chance(0.01) ? random.pick([Math.SQRT1_2, 1e30]) : 1;
  const usage = (contributions ?? []).map(({ hour: at, model, calls, promptTokens, completionTokens, cost }) => {
    const amounts = [promptTokens * factor, cost * factor * random.next()] as const;
    return { hour: at, model, calls, promptTokens: amounts[0], completionTokens, cost: amounts[1] };
  });
  return {
    ...row,
    contributions: random.chance(0.01) ? null : usage,
    isSummed: factor === 1,
    latency: latencyOf(row.startedAt, endedAt),
    endedAt,
    sessionId: label(),
    userId: label(),
    release: label(),
    environment: label(),
    tags: ["eu", "us"].filter(() => random.chance(0.5)),
    totalCost: random.below(1e9) / 1e12,
    facts:
      facts === null || random.chance(0.1)
        ? null
        : {
            ...facts,
            spans: {
              ...facts.spans,
              models: { numbers: numbers(), hasMore: false },
              tools: { numbers: numbers(), hasMore: false },
              unpricedTokens: random.below(9),
            },
            provenance: {
              ...facts.provenance,
              prompts: [1, 2].map(() => ({ name: label(), version: label() })),
              experiment: label(),
            },
            firstError: random.chance(0.5) ? null : { at: row.startedAt, text: random.pick(["timeout", "refused"]) },
          },
  };
};

/** Writes the files of traces. */
const filesOf = async (traces: readonly ReturnType<typeof traceOf>[]) => {
  const folder = temporaryFolder();
  const engine = await testEngine(folder);
  const paths = {
    traces: writeLines(
      join(folder, "traces.ndjson"),
      traces.map((trace) => lakeTraceRow(trace, names, null)),
    ),
    scores: writeLines(join(folder, "scores.ndjson"), []),
  };
  await writeDayFiles(engine, paths, null, folder);
  const sumUp = sumLookup(
    async (keys, work) => await work(keys),
    engine,
    () => day,
  );
  const days = [{ day: "2026-11-20", traces: join(folder, "traces.parquet"), scores: null, changed: [] }];
  return { sumsBy: (by: SumLookup["by"]) => sumUp({ days, filters: {}, by }) };
};

test("sums of files are those of rows: figures below and above 1,000 latencies an hour, values of each field, users", async () => {
  const seed = freshSeed();
  const random = seeded(seed);
  const hours = [1_000, 1_700, 3].flatMap((count, hour) => Array.from({ length: count }, () => hour));
  const traces = hours.map((hour) => traceOf(random, hour));
  const { sumsBy } = await filesOf(traces);
  const figures = v.parse(hourSums, await sumsBy("hour")) ?? [];

  const byHour = Map.groupBy(traces, ({ startedAt }) => startedAt.slice(0, 13));
  const tallies = [...byHour].map(([hour, ofHour]) => {
    const tally = figureTally();
    for (const trace of ofHour) tally.add(trace);
    return { hour, figures: tally.figures() };
  });
  const ofHours = <Each extends { readonly hour: string }>(sums: readonly Each[]) =>
    sums.toSorted((a, b) => (a.hour < b.hour ? -1 : 1));
  expect(ofHours(figures), `seed ${seed}`).toEqual(ofHours(tallies));
  expect(new Set(tallies.map((each) => each.figures.latencies.kind))).toEqual(new Set(["values", "sketch"]));
  for (const field of valueFields) {
    const [ofRows, ofFiles] = [valueTally(field, names, () => {}), valueTally(field, names, () => {})];
    for (const trace of traces) ofRows.add(trace);
    for (const count of v.parse(valueSums, await sumsBy(field)) ?? []) ofFiles.addCount(count);
    expect(ofFiles.top(), `${field} of seed ${seed}`).toEqual(ofRows.top());
  }
  const users = v.parse(userSums, await sumsBy("user")) ?? [];
  expect(users).toHaveLength(5);
  for (const totals of users) {
    const [ofRows, ofFiles] = [new UserSum(totals.userId), new UserSum(totals.userId)];
    for (const trace of traces) if (trace.userId === totals.userId) ofRows.add(trace);
    ofFiles.addTotals(totals);
    expect(ofFiles.summary(), `seed ${seed}`).toEqual(ofRows.summary());
  }
});

test("usage of files is that of rows to the last digit, and traces whose documents have it are named", async () => {
  const seed = freshSeed();
  const random = seeded(seed);
  const traces = Array.from({ length: 3_000 }, (_, index) => traceOf(random, index % 2));
  const { sumsBy } = await filesOf(traces);

  const sums = (v.parse(usageSums, await sumsBy("usage")) ?? []).flat();

  const unsummed = traces.filter(({ contributions, isSummed }) => contributions === null || !isSummed);
  expect(unsummed.length).toBeGreaterThan(0);
  expect(sums.filter((sum) => typeof sum === "string").toSorted(), `seed ${seed}`).toEqual(
    unsummed.map(({ traceId }) => traceId).toSorted(),
  );
  const tallied = (parts: readonly Contribution[]) => {
    const tallies = new Map<string, ReturnType<typeof usageTally>>();
    for (const { hour: at, ...usage } of parts) {
      const tally = tallies.get(at) ?? usageTally();
      tally.add(usage);
      tallies.set(at, tally);
    }
    const byModel = (a: ModelUsage, b: ModelUsage): number => ((a.model ?? "") < (b.model ?? "") ? -1 : 1);
    return new Map([...tallies].map(([at, tally]) => [at, tally.usage().toSorted(byModel)]));
  };
  expect(tallied(sums.filter((sum) => typeof sum !== "string")), `seed ${seed}`).toEqual(
    tallied(traces.flatMap((trace) => (unsummed.includes(trace) ? [] : (trace.contributions ?? [])))),
  );
});

test("figures of an hour that come from rows and from files are exact up to 1,000 latencies together", () => {
  const tallyOf = (latencies: readonly number[]) => {
    const tally = figureTally();
    for (const latency of latencies) tally.add({ status: "ERROR", latency });
    return tally;
  };
  const all = Array.from({ length: 1_001 }, (_, index) => index + 0.5);
  for (const count of [10, 1_000, 1_001])
    for (const ofFiles of [0, 3, count]) {
      const tally = tallyOf(all.slice(ofFiles, count));
      tally.addFigures(tallyOf(all.slice(0, ofFiles)).figures());
      expect(tally.figures()).toEqual(tallyOf(all.slice(0, count)).figures());
    }
});
