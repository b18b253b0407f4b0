import type { Tokens } from "../../prices/price.ts";
import { openAiClient } from "./openai-client.ts";
import {
  failureOf,
  predicateText,
  type Connector,
  type Decide,
  type Decision,
  type DecisionRequest,
  type Failure,
  type Predicate,
  type ProviderClient,
} from "./provider.ts";
import { countOf, fieldsOf, elementsOf } from "./reply.ts";
import { postJson, urlBelow, type PostResult } from "./transport.ts";

/** Tokens of a decision's usage: they are billed by the input alone, and impossible counts are read as 0. */
const tokensOf = (usage: unknown): Tokens => {
  const counts = fieldsOf(usage);
  const { cached_tokens: cached, cache_write_tokens: written } = fieldsOf(counts["input_tokens_details"]);
  const prompt = countOf(counts["input_tokens"]);
  return {
    prompt,
    completion: countOf(counts["output_tokens"]),
    cached: Math.min(prompt, countOf(cached)),
    written: Math.min(prompt, countOf(written)),
  };
};

const malformed = (message: string, tokens: Tokens): Failure => failureOf("judge_malformed", { message, tokens });

const isProbability = (value: unknown): value is number => typeof value === "number" && value >= 0 && value <= 1;

/**
 * Checks the answers to predicates, in their order: each is a probability or null for a refusal. A decision that answers another
 * number of statements, others or with something else fails as a whole, since its answers may be exchanged.
 */
const decisionOf = (predicates: readonly Predicate[], answers: readonly unknown[], tokens: Tokens): Decision => {
  if (answers.length !== predicates.length) {
    const counts = `${answers.length} answers to ${predicates.length} statements`;
    return malformed(`The decision model's reply has ${counts}.`, tokens);
  }
  const probabilities: (number | null)[] = [];
  for (const [index, answer] of answers.map(fieldsOf).entries()) {
    const { name, type, probability } = answer;
    if (name !== predicates[index]?.name)
      return malformed("The decision model's answers are not in the order of the statements.", tokens);
    if (type !== "refusal" && !(type === "predicate" && isProbability(probability)))
      return malformed("The decision model's reply has an answer that is not a probability.", tokens);
    probabilities.push(isProbability(probability) ? probability : null);
  }
  return { kind: "decision", probabilities, tokens };
};

/** Returns a client whose model can only estimate statements. */
const decisionClient = (decide: Decide): ProviderClient => ({
  decide,
  complete: async () =>
    failureOf("judge_bad_request", { message: "A decision model answers no questions in text.", isUnbilled: true }),
  sampling: () => ({ temperature: null, effort: null }),
  maxAnswerTokens: 1,
  embed: null,
});

const withReply = (result: PostResult, read: (reply: ReturnType<typeof fieldsOf>) => Decision): Decision =>
  result.kind === "reply" ? read(fieldsOf(result.reply)) : result;

/** Connects to decision models of OpenAI, or of a server with the same protocol at the stored base URL. */
export const openAiDecisions: Connector = ({ key = "", baseUrl = "https://api.openai.com/v1" }, { now }) => {
  const call = openAiClient({ baseUrl, key, tokensOf }, now);
  return decisionClient(async ({ model, system, state, predicates, timeout }) => {
    const body = {
      model,
      input: [
        { role: "developer" as const, content: system },
        { role: "user" as const, content: [{ type: "input_text" as const, text: state }] },
      ],
      questions: predicates.map((predicate) => ({
        type: "predicate" as const,
        name: predicate.name,
        instructions: predicateText(predicate),
      })),
    };
    const result = await call((client) => client.decisions.create(body, { timeout }));
    return withReply(result, ({ answers, usage }) => decisionOf(predicates, elementsOf(answers), tokensOf(usage)));
  });
};

/** Reads System One's reply: `answers` by the names of the questions. A reply that lacks one, or has another, is malformed. */
const readSystemOne = (
  { predicates }: Pick<DecisionRequest, "predicates">,
  { answers, usage }: ReturnType<typeof fieldsOf>,
): Decision => {
  const [byName, tokens] = [fieldsOf(answers), tokensOf(usage)];
  const answerNames = Object.keys(byName);
  const hasAll = predicates.every(({ name }) => Object.hasOwn(byName, name));
  if (!hasAll || answerNames.length !== predicates.length) {
    const counts = `${answerNames.length} answers to ${predicates.length} statements`;
    return malformed(`The decision model's reply has ${counts}, or answers to others.`, tokens);
  }
  const inOrder = predicates.map(({ name }) => {
    const { type, noul } = fieldsOf(byName[name]);
    return type === "refusal" ? { name, type } : { name, type: "predicate", probability: noul };
  });
  return decisionOf(predicates, inOrder, tokens);
};

/**
 * Connects to decision models of any server that speaks System One: `POST /v1/systemone` below the base URL, or
 * `/systemone` below one that ends in `/v1`. The key is optional.
 */
export const systemOne: Connector = ({ key = null, baseUrl = "" }, { now }) => {
  const path = /\/v\d+\/?$/u.test(baseUrl) ? "systemone" : "v1/systemone";
  const headers = async (): Promise<Record<string, string>> => ({
    ...(key !== null && { authorization: `Bearer ${key}` }),
  });
  return decisionClient(async ({ model, system, state, predicates, timeout }) => {
    const questions = predicates.map(({ name, text, yes, no }) => {
      return [name, { type: "noul", instructions: text, criteria: { true: yes, false: no } }] as const;
    });
    const body = JSON.stringify({ model, state: `${system}\n\n${state}`, questions: Object.fromEntries(questions) });
    const signal = AbortSignal.timeout(timeout);
    const result = await postJson({ url: urlBelow(baseUrl, path), body, headers, signal, tokensOf }, now);
    return withReply(result, (reply) => readSystemOne({ predicates }, reply));
  });
};
