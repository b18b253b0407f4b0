import { afterAll, beforeAll, expect, test } from "vitest";
import { completion, completionAnswer, reply, startFakeJudge, type FakeJudge } from "../../support/runs/fake-judge.ts";
import { error, good } from "../judge/behaviours.ts";
import { judgeOf } from "../judge/fixtures.ts";

let fake: FakeJudge;
beforeAll(async () => {
  fake = await startFakeJudge();
});
afterAll(() => fake.close());

const prices = new Map([["openai/judge", { input: 1000, cached: 100, output: 10_000, written: 1000 }]]);
const costOf = async (options: Parameters<typeof judgeOf>[1] = { prices }): Promise<unknown> => {
  const { metadata } = await judgeOf(fake, options).score();
  return metadata["cost_usd"];
};

test("a score has the cost of its tokens, cached ones at their own price", async () => {
  fake.script(good);

  expect(await costOf()).toBe(0.264);
});

test("a second call is charged as well, a call that was refused is not", async () => {
  fake.script(reply(200, completion("nonsense")), good);
  expect(await costOf()).toBe(0.528);

  fake.script(error(429), good);
  expect(await costOf()).toBe(0.264);
});

test("a failed judgement has its cost", async () => {
  fake.script(reply(200, completion("nonsense")));

  expect(await costOf()).toBe(0.528);
});

test("the cost is null where the price of the model is unknown, and the sum of what was reported otherwise", async () => {
  fake.script(good);
  expect(await costOf({})).toBeNull();

  const uncounted = { usage: null };
  fake.script(reply(200, { ...completion(JSON.stringify(completionAnswer())), ...uncounted }));
  expect(await costOf()).toBe(0);

  fake.script(reply(200, completion("nonsense")), reply(200, { ...completion("nonsense"), ...uncounted }));
  expect(await costOf()).toBe(0.264);
});
