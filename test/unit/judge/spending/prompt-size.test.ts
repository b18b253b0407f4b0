import { expect, test } from "vitest";
import { promptTokenHistory, sizeOfBytes, sizeOfText, sumOfSizes } from "../../../../lib/judge/spending/prompt-size.ts";

/** Counts words, in the place of a tokenizer. */
const count = (text: string): number => text.split(" ").length;

const size = sizeOfText("The order was shipped on Monday. ".repeat(40));
const counted = size.tokens(count);
const historyOf = (model: string) => promptTokenHistory(async () => count)(model);

test("the tokens of a model's prompts are its bytes until tokenizers are loaded, which only a model that uses them needs at once", async () => {
  const history = promptTokenHistory(async () => count);
  const [ofOpenAi, ofOthers] = [history("openai/gpt-4.1"), history("anthropic/claude-haiku-4-5")];
  const before = [ofOpenAi.atMost(size), ofOthers.atMost(size)];
  await ofOpenAi.load();
  await ofOthers.load();

  expect(before).toEqual([size.bytes, size.bytes]);
  expect([ofOpenAi.atMost(size), ofOthers.atMost(size)]).toEqual([counted, size.bytes]);
});

test("the tokens of prompts of another model follow its worst report with a quarter more, up to a token per byte, and never fall", async () => {
  const promptTokens = historyOf("anthropic/claude-haiku-4-5");
  promptTokens.record(size, 10);
  await promptTokens.load();
  const low = promptTokens.atMost(size);
  promptTokens.record(size, 1.2 * counted);
  const raised = promptTokens.atMost(size);
  promptTokens.record(size, 10);
  const after = promptTokens.atMost(size);
  promptTokens.record(size, size.bytes);

  expect([low, raised, after]).toEqual([Math.ceil(1.25 * counted), Math.ceil(1.5 * counted), raised]);
  expect(promptTokens.atMost(size)).toBe(size.bytes);
});

test("of a script that no report has had, an unknown tokenizer may make a token of each byte", async () => {
  const promptTokens = historyOf("custom/priced");
  promptTokens.record(size, counted);
  await promptTokens.load();
  const chinese = sizeOfText("订单已于周一发货。".repeat(40));
  const quoted = sizeOfText(`“${"The order was shipped on Monday. ".repeat(40)}”`);

  expect(promptTokens.atMost(chinese)).toBe(chinese.bytes);
  expect(promptTokens.atMost(quoted)).toBe(Math.ceil(1.25 * counted) + 8);
});

test("the tokens of prompts of a model whose reports are above its tokenizer rise with the worst one", async () => {
  const promptTokens = historyOf("openai/gpt-4.1");
  await promptTokens.load();
  promptTokens.record(size, 1.5 * counted);

  expect(promptTokens.atMost(size)).toBe(Math.ceil(1.5 * counted));
});

test("the tokens of a part that is not known are its bytes", () => {
  const sum = sumOfSizes(size, sizeOfBytes(500));

  expect([sum.bytes, sum.tokens(count)]).toEqual([size.bytes + 500, counted + 500]);
});
