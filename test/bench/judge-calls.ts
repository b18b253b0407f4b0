import type { Trace } from "../../lib/domain/traces/trace.ts";
import type { ConnectEmbed } from "../../lib/judge/providers/connections.ts";
import { fullAnswer, noTokens, type Complete } from "../../lib/judge/providers/provider.ts";
import { usualAnswers } from "../../lib/judge/spending/usual-answers.ts";
import { embeddingCache } from "../../lib/judge/compare/embedding-cache.ts";
import { defaultTranscripts } from "../../lib/judge/transcript/transcript-settings.ts";
import { projectPairs } from "../../lib/judge/compare/project-pairs.ts";
import { targetJudge } from "../../lib/judge/target-judge.ts";
import { traceMetrics } from "../../lib/metrics/trace/definitions.ts";
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
  const connectEmbed: ConnectEmbed = async () => ({
    ready: true,
    model: "mock/embedding",
    embed: async ({ texts }) => {
      embeddingCalls += 1;
      return { kind: "vectors", vectors: texts.map(() => [1, 1]), tokens: 0 };
    },
  });
  const judge = targetJudge(
    {
      connect: async () => ({
        ready: true,
        model: "judge",
        complete,
        fullAnswer,
        sampling: () => ({ temperature: 0, effort: null }),
        renewed: async () => false,
      }),
      connectEmbed,
      embeddings: embeddingCache(),
      pace: { now: Date.now, sleep: () => new Promise(() => {}), random: () => 0, longestCall: 60_000 },
      metrics: new Map(traceMetrics.map((metric) => [metric.name, metric])),
      nonce: () => "0".repeat(32),
      transcripts: defaultTranscripts,
      priceOf: () => null,
      usual: usualAnswers(),
      embeddingModel: "mock/embedding",
      pairs: projectPairs(),
      efforts: {},
    },
    { runId: "bench", projectId: "bench", trace, traceVersion: 1, model: "mock/judge" },
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
