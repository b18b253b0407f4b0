import type { Trace } from "../../lib/domain/traces/trace.ts";
import { noTokens, type Complete } from "../../lib/judge/providers/provider.ts";
import { traceMetrics } from "../../lib/metrics/trace/definitions.ts";
import { judgeAnsweredBy, sameMeanings } from "../support/runs/judge-answered-by.ts";
import { anAnswer } from "./mock-judge.ts";

/** What all metrics of one trace ask of a judge. Tokens are counted as 4 characters each, of the messages only. */
export interface JudgeCost {
  readonly calls: number;
  readonly embeddingCalls: number;
  readonly promptTokens: number;
  /** Of these, the delimited transcript in every call that shows it. */
  readonly recordTokens: number;
  /** Of these, what stands at the beginning of an earlier call of the target as well: a provider's cache has it. */
  readonly cacheableTokens: number;
}

const tokensOf = (text: string): number => Math.ceil(text.length / 4);

const sharedLength = (a: string, b: string): number => {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
};

/** Counts the calls and tokens of all listed metrics of a trace. @throws Error when one of them is not scored. */
export const countJudgeCalls = async (trace: Trace): Promise<JudgeCost> => {
  const sent: string[] = [];
  let embeddingCalls = 0;
  let cacheable = 0;
  let recordTokens = 0;
  const complete: Complete = async ({ system, record, question, schema }) => {
    const text = `${system}\n\n${record}\n\n${question}`;
    cacheable += Math.floor(Math.max(0, ...sent.map((before) => sharedLength(before, text))) / 4);
    sent.push(text);
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
  const promptTokens = sent.reduce((sum, text) => sum + tokensOf(text), 0);
  return { calls: sent.length, embeddingCalls, promptTokens, recordTokens, cacheableTokens: cacheable };
};

/**
 * What a service asks that sends the whole trace as indented JSON: 18 calls for the same eight metrics, the trace in 11 of
 * them. The words around the trace are not counted.
 */
export const naiveTokens = (trace: Trace): number => 11 * tokensOf(JSON.stringify(trace, null, 2));
