/**
 * Process measured by `../judge-peer.ts`: sends the prompts of the same judgements with the package autoevals, without
 * storing results. Reads one prompt per trace as JSON from standard input.
 */
import { text } from "node:stream/consumers";
import { LLMClassifierFromTemplate } from "autoevals";
import { array, parse, string } from "valibot";
import { required } from "../../../lib/wiring/environment.ts";
import { semaphore } from "../../../lib/async/concurrency.ts";
import { measureWork } from "../measured-work.ts";

const copies = Number(required("BENCH_COPIES"));
const places = semaphore(Number(required("BENCH_CALLS")));
const prompts = parse(array(string()), JSON.parse(await text(process.stdin)));

const classify = LLMClassifierFromTemplate<{ prompt: string }>({
  name: "confidence",
  promptTemplate: "{{{prompt}}}",
  choiceScores: { assured: 1, mostly_assured: 0.75, mixed: 0.5, hesitant: 0.25, erratic: 0 },
  model: "judge",
});
const access = { openAiBaseUrl: required("BENCH_JUDGE"), openAiApiKey: "none" };

let scored = 0;
const judge = async (prompt: string): Promise<void> => {
  const { score } = await classify({ output: "", prompt, ...access });
  if (score === 1) scored += 1;
};

await measureWork(
  async () => {
    await Promise.all(prompts.flatMap((prompt) => Array.from({ length: copies }, () => places(() => judge(prompt)))));
  },
  async () => scored,
);
