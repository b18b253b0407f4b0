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

test("each call is charged at the price of its prompt's length", async () => {
  const long = { above: 150, input: 2000, cached: 200, output: 20_000, written: 2000 };
  const tiered = new Map([["openai/judge", { input: 1000, cached: 100, output: 10_000, written: 1000, long }]]);
  const usage = { prompt_tokens: 200, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 40 } };

  // Two prompts of 100 tokens are no long one.
  fake.script(reply(200, completion("nonsense")), good);
  expect(await costOf({ prices: tiered })).toBe(0.528);

  fake.script(reply(200, { ...completion(JSON.stringify(completionAnswer())), usage }));
  expect(await costOf({ prices: tiered })).toBe(0.728);
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
