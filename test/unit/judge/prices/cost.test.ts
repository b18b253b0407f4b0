import { afterAll, beforeAll, expect, test } from "vitest";
import {
  completion,
  completionAnswer,
  reply,
  startFakeJudge,
  type FakeJudge,
} from "../../../support/runs/fake-judge.ts";
import { error, good } from "../behaviours.ts";
import { judgeOf } from "../fixtures.ts";

let fake: FakeJudge;
beforeAll(async () => {
  fake = await startFakeJudge();
});
afterAll(() => fake.close());

const prices = new Map([["openai/judge", { input: 1000, cached: 100, output: 10_000, written: 1000 }]]);
const costOf = async (given: Parameters<typeof judgeOf>[1] = { prices }): Promise<unknown> => {
  const { metadata } = await judgeOf(fake, given).score();
  return metadata["cost_usd"];
};

test("a score says what its tokens cost, those from the cache at their own price", async () => {
  fake.script(good);

  expect(await costOf()).toBe(0.264);
});

test("a second call is paid for as well, one that got no answer is not", async () => {
  fake.script(reply(200, completion("nonsense")), good);
  expect(await costOf()).toBe(0.528);

  fake.script(error(500), good);
  expect(await costOf()).toBe(0.264);
});

test("a judgement that failed says what it cost", async () => {
  fake.script(reply(200, completion("nonsense")));

  expect(await costOf()).toBe(0.528);
});

test("what is not known is null: the price of the model, or how many tokens an answer took", async () => {
  fake.script(good);
  expect(await costOf({})).toBeNull();

  const uncounted = { usage: null };
  fake.script(reply(200, { ...completion(JSON.stringify(completionAnswer())), ...uncounted }));
  expect(await costOf()).toBeNull();

  fake.script(reply(200, { ...completion("nonsense"), ...uncounted }));
  expect(await costOf()).toBeNull();
});
