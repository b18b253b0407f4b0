import type { Trace } from "../../lib/domain/traces/trace.ts";
import type { Complete } from "../../lib/judge/providers/provider.ts";
import { noTokens } from "../../lib/prices/price.ts";
import { traceMetrics } from "../../lib/metrics/trace/definitions.ts";
import { judgeAnsweredBy, sameMeanings } from "../support/runs/judge-answered-by.ts";
import { anAnswer } from "./mock-judge.ts";

/** Judge usage of all metrics of one trace. A token is 4 characters of the messages. */
export interface JudgeCost {
  readonly calls: number;
  readonly embeddingCalls: number;
  readonly promptTokens: number;
  /** Prompt tokens of the delimited transcript, in every call that shows it. */
  readonly recordTokens: number;
  /** Prompt tokens shared with the beginning of an earlier call of the target, which a provider's cache holds. */
  readonly cacheableTokens: number;
}

const tokensOf = (text: string): number => Math.ceil(text.length / 4);

const sharedLength = (a: string, b: string): number => {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
};

/** Counts the judge calls and tokens of all listed metrics of a trace. @throws Error when a metric has no score. */
export const countJudgeCalls = async (trace: Trace): Promise<JudgeCost> => {
  const sentPrompts: string[] = [];
  let embeddingCalls = 0;
  let cacheable = 0;
  let recordTokens = 0;
  const complete: Complete = async ({ system, record, question, schema }) => {
    const text = `${system}\n\n${record}\n\n${question}`;
    cacheable += Math.floor(Math.max(0, ...sentPrompts.map((before) => sharedLength(before, text))) / 4);
    sentPrompts.push(text);
    recordTokens += tokensOf(record);
    return { kind: "answer", text: JSON.stringify(anAnswer(schema, question)), tokens: noTokens };
  };
  const judge = judgeAnsweredBy(
    complete,
    trace,
    sameMeanings(() => {
      embeddingCalls += 1;
    }),
  );
  for (const { name } of traceMetrics) {
    const verdict = await judge.score(name, Date.now() + 60_000);
    if (verdict.kind !== "scored") throw new Error(`${name} was not scored: ${verdict.reason}`);
  }
  const promptTokens = sentPrompts.reduce((sum, text) => sum + tokensOf(text), 0);
  return { calls: sentPrompts.length, embeddingCalls, promptTokens, recordTokens, cacheableTokens: cacheable };
};

/**
 * Tokens used by a service that sends the whole trace as indented JSON: 18 calls for the same eight metrics, 11 of them
 * with the trace. The surrounding text is not counted.
 */
export const naiveTokens = (trace: Trace): number => 11 * tokensOf(JSON.stringify(trace, null, 2));
