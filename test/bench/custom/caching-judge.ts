import { setTimeout as wait } from "node:timers/promises";
import { completion, reply, type Behaviour } from "../../support/runs/fake-judge.ts";
import { anAnswer } from "../mock-judge.ts";

/** What a provider would bill. Tokens are 4 characters each, of the messages. */
export interface Billed {
  calls: number;
  prompt: number;
  /** Of these, what an earlier call of the target had at its beginning, and was answered before. */
  cached: number;
  /** Calls that show a transcript, and those of them that pay for it. */
  shown: number;
  paid: number;
}

/** Providers remember prompts by blocks. */
const [block, charactersPerToken] = [128, 4];

const tokensOf = (length: number): number => Math.ceil(length / charactersPerToken);

const sharedLength = (a: string, b: string): number => {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
};

const codes = /^Codes of this evaluation: (\w+)/mu;
const mark = /^<<<<< RECORD \w+ ENDS >>>>>$/mu;

/** A judge with a valid answer to everything, which remembers the beginnings of what it has answered. @param latency milliseconds. */
export const cachingJudge = (latency: number, billed: Billed): Behaviour => {
  const answered = new Map<string, string[]>();
  return async (response, call) => {
    const { messages, response_format: form } = call.body;
    const text = messages.map(({ content }) => content).join("\n\n");
    const target = codes.exec(text)?.[1] ?? "";
    const known = answered.get(target) ?? [];
    const shared = Math.max(0, ...known.map((before) => sharedLength(before, text)));
    const cached = Math.floor(tokensOf(shared) / block) * block;
    const end = mark.exec(text)?.index;
    billed.calls += 1;
    billed.prompt += tokensOf(text.length);
    billed.cached += cached;
    if (end !== undefined) billed.shown += 1;
    if (end !== undefined && cached < tokensOf(end) - block) billed.paid += 1;
    await wait(latency);
    answered.set(target, [...known, text]);
    const answer = anAnswer(form.json_schema.schema, messages.at(-1)?.content ?? "");
    return reply(200, completion(JSON.stringify(answer)))(response, call);
  };
};
