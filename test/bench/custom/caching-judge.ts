import { setTimeout as wait } from "node:timers/promises";
import { completion, reply, type Behaviour } from "../../support/runs/fake-judge.ts";
import { anAnswer } from "../mock-judge.ts";

/** Billed usage by a provider's rules. A token is 4 characters of the messages. */
export interface Billed {
  calls: number;
  prompt: number;
  /** Prompt tokens that an earlier answered call of the target had at its beginning. */
  cached: number;
  /** Number of calls that show a transcript, and number of those whose transcript is not cached. */
  shown: number;
  paid: number;
}

/** Block size in tokens of a provider's prompt cache, and characters per token. */
const [block, charactersPerToken] = [128, 4];

const tokensOf = (length: number): number => Math.ceil(length / charactersPerToken);

const sharedLength = (a: string, b: string): number => {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
};

const codes = /^Codes of this evaluation: (\w+)/mu;
const mark = /^<<<<< RECORD \w+ ENDS >>>>>$/mu;

/** A judge that returns valid answers and caches the prefixes of answered prompts. @param latency milliseconds. */
export const cachingJudge = (latency: number, billed: Billed): Behaviour => {
  const answered = new Map<string, string[]>();
  return async (response, call) => {
    const { messages, response_format: form } = call.body;
    const text = messages.map(({ content }) => content).join("\n\n");
    const target = codes.exec(text)?.[1] ?? "";
    const prefixes = answered.get(target) ?? [];
    const shared = Math.max(0, ...prefixes.map((before) => sharedLength(before, text)));
    const cached = Math.floor(tokensOf(shared) / block) * block;
    const end = mark.exec(text)?.index;
    billed.calls += 1;
    billed.prompt += tokensOf(text.length);
    billed.cached += cached;
    if (end !== undefined) billed.shown += 1;
    if (end !== undefined && cached < tokensOf(end) - block) billed.paid += 1;
    await wait(latency);
    answered.set(target, [...prefixes, text]);
    const answer = anAnswer(form.json_schema.schema, messages.at(-1)?.content ?? "");
    return reply(200, completion(JSON.stringify(answer)))(response, call);
  };
};
