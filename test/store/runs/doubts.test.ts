import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunInTurn, Turn } from "../../../lib/evaluation/slices/fair-share-turns.ts";
import type { Judge } from "../../../lib/judge/judge.ts";
import type { Verdict } from "../../../lib/judge/verdict/verdict.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { storedRun, type StoredFixture } from "./run-fixture.ts";
import { sliceWorker } from "./slice-worker.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const model = "openai/judge";
const metadata = { model, attempts: 1, tokens: { prompt: 10, completion: 1, cached: 0 }, cost_usd: 0.001 };
const answer: Verdict = { kind: "scored", value: 1, reason: "Yes.", metadata };
const failure = (
  isDoubtful: boolean,
  reason = "The judge's provider does not work right now (HTTP 500).",
): Verdict => ({
  kind: "deferred",
  code: "judge_unavailable",
  reason,
  retryAfter: null,
  metadata,
  ...(isDoubtful && { isDoubtful: true }),
});

/** A worker process at a clock that the test moves. */
const worker = (
  verdictOf: (metric: string, trace: string, at: number) => Verdict | Promise<Verdict>,
  calls = 4,
  noteAnswers: Turn["noteAnswers"] = () => undefined,
) => {
  let at = Date.now();
  const now = (): number => at;
  const judge: Judge = {
    readiness: async () => ({ ready: true }),
    target: ({ trace }) => ({ score: async (metric) => verdictOf(metric, trace.trace_id, at) }),
  };
  const runInTurn: RunInTurn = (message, work) =>
    work({ message, isBorrowed: false, isOver: () => false, noteAnswers });
  const evaluate = sliceWorker(database, judge, now, { calls, runInTurn });
  return {
    deliver: async (run: StoredFixture, instant: number) => {
      at = instant;
      const slice = run.slices[0] ?? "";
      return await evaluate({ project: run.order.projectId, run: run.order.id, slice }, at + 175_000);
    },
  };
};

const minute = 60_000;
const outageLength = 6 * 60 * minute;

/**
 * Delivers a run's slice whenever it is due, until it is over or a day has passed.
 *
 * @returns milliseconds that this took.
 */
const durationOf = async (run: StoredFixture, calls: number, verdictOf: Parameters<typeof worker>[0]) => {
  const { deliver } = worker(verdictOf, calls);
  const start = Date.now();
  for (let at = start; at - start < 24 * 60 * minute;) {
    const result = await deliver(run, at);
    if (!("at" in result)) return at - start;
    at = result.at + 1;
  }
  return Infinity;
};

/** Delivers a run's slice to a new worker process each time, until it is over. @returns the number of deliveries. */
const deliveriesOf = async (
  run: StoredFixture,
  max: number,
  verdictOf: (metric: string) => Verdict,
): Promise<number> => {
  let at = Date.now();
  for (let delivery = 1; delivery <= max; delivery += 1) {
    const result = await worker(verdictOf).deliver(run, at);
    if (!("at" in result)) return delivery;
    at = result.at + 1;
  }
  return max;
};

const stateOf = (run: StoredFixture) => run.runs.get(run.order.projectId, run.order.id);

test("a pair whose provider fails five times while it answers about others fails, with its code and what it cost", async () => {
  const run = await storedRun(database, 1, ["fine", "broken"]);

  const deliveries = await deliveriesOf(run, 20, (metric) => (metric === "fine" ? answer : failure(true)));

  const failed = (await run.scores()).find(({ name }) => name === "broken");
  expect(deliveries).toBe(5);
  expect(await stateOf(run)).toMatchObject({ status: "COMPLETED", scored: 1, failed: 1, usage: { calls: 6 } });
  expect(failed).toMatchObject({ status: "FAILED", metadata: { code: "judge_unavailable" } });
});

test("a pair waits beyond five attempts if its provider answers nothing, or asks to wait", async () => {
  const away = await storedRun(database, 1, ["broken", "broken too"]);
  const busy = await storedRun(database, 1, ["fine", "busy"]);

  await deliveriesOf(away, 9, () => failure(true));
  await deliveriesOf(busy, 9, (metric) => (metric === "fine" ? answer : failure(false)));

  expect(await stateOf(away)).toMatchObject({ status: "RUNNING", scored: 0, failed: 0 });
  expect(await stateOf(busy)).toMatchObject({ status: "RUNNING", scored: 1, failed: 0 });
});

test("an answer about a pair of another run counts for four more attempts, if the same process had it between the attempts", async () => {
  const [broken, other] = [await storedRun(database, 1, ["broken"]), await storedRun(database, 1, ["fine"])];
  const { deliver } = worker((metric) => (metric === "fine" ? answer : failure(true)));
  let at = Date.now();
  const attempt = async (): Promise<void> => {
    const result = await deliver(broken, at);
    at = "at" in result ? result.at + 1 : at;
  };

  for (let attempts = 0; attempts < 4; attempts += 1) await attempt();
  await deliver(other, at);
  at += 1;
  for (let attempts = 0; attempts < 3; attempts += 1) await attempt();
  const before = await stateOf(broken);
  await attempt();

  expect(before).toMatchObject({ status: "RUNNING" });
  expect(await stateOf(broken)).toMatchObject({ status: "FAILED", failed: 1 });
});

test.each([
  [0, 1],
  [0, 4],
  [3, 1],
  [3, 4],
  [5, 4],
])("an outage of six hours after %i answers, in %i calls at a time, loses no score", async (answersBefore, calls) => {
  const run = await storedRun(database, 8, ["m"]);
  const end = Date.now() + outageLength;
  let [answers, afterwards] = [0, 0];

  await durationOf(run, calls, (_metric, _trace, at) => {
    if (at > end && (afterwards += 1) !== 2) return answer;
    if (at < end && answers < answersBefore) {
      answers += 1;
      return answer;
    }
    return failure(true);
  });

  expect(await stateOf(run)).toMatchObject({ status: "COMPLETED", scored: 8, failed: 0 });
});

test.each([
  [0, 1],
  [0, 4],
  [3, 4],
  [7, 1],
  [7, 4],
])("one bad input at place %i, in %i calls at a time, ends within a quarter of an hour", async (place, calls) => {
  const run = await storedRun(database, 8, ["m", "n"]);

  const duration = await durationOf(run, calls, (_metric, trace) =>
    trace === run.targets[place] ? failure(true) : answer,
  );

  expect(duration).toBeLessThan(15 * minute);
  expect(await stateOf(run)).toMatchObject({ status: "COMPLETED", scored: 14, failed: 2 });
});

test("while a run waits, it shows what its provider says", async () => {
  const run = await storedRun(database, 1, ["m"]);
  const reason = 'The judge\'s provider asks to wait (HTTP 429, rate_limit_exceeded): "Rate limit reached".';

  await worker(() => failure(false, reason)).deliver(run, Date.now());

  expect(await stateOf(run)).toMatchObject({ waitingFor: reason });
});

test("a call that may have failed because of its input says nothing of its model's answers", async () => {
  const notes: unknown[] = [];
  const [away, odd] = ["openai/away", "openai/odd"].map((name) => ({ metadata: { ...metadata, model: name } }));
  const verdicts = { a: answer, b: { ...failure(true), ...odd }, c: { ...failure(false), ...away } };
  const run = await storedRun(database, 1, Object.keys(verdicts));
  const { deliver } = worker(
    (metric) => verdicts[metric as keyof typeof verdicts],
    4,
    (note) => notes.push(note),
  );
  await deliver(run, Date.now());

  expect(notes).toEqual([{ answered: [model], unanswered: ["openai/away"] }]);
});

test("an answer before a pair's first attempt says nothing about it, though the answer's delivery ends later", async () => {
  const [broken, other, last] = [
    await storedRun(database, 1, ["broken"]),
    await storedRun(database, 1, ["fine", "slow"]),
    await storedRun(database, 1, ["slow"]),
  ];
  let at = Date.now();
  const attempt = async (): Promise<void> => {
    const result = await deliver(broken, at);
    at = "at" in result ? result.at + 1 : at;
  };
  const { deliver } = worker(async (metric, trace, instant) => {
    if (metric === "fine") return answer;
    if (trace !== other.targets[0]) return failure(true);
    at = instant + 1_000;
    await attempt();
    await deliver(last, instant + 20_000);
    return failure(false);
  });
  await deliver(other, at);
  for (let attempts = 0; attempts < 5; attempts += 1) await attempt();

  expect(await stateOf(broken)).toMatchObject({ status: "RUNNING", failed: 0 });
});
