import type { Trace } from "../../../lib/domain/traces/trace.ts";
import { embeddingCache } from "../../../lib/judge/compare/embedding-cache.ts";
import { projectPairs } from "../../../lib/judge/compare/project-pairs.ts";
import type { ConnectEmbed } from "../../../lib/judge/providers/connections.ts";
import { fullAnswer, type Complete } from "../../../lib/judge/providers/provider.ts";
import { usualAnswers } from "../../../lib/judge/spending/usual-answers.ts";
import { targetJudge, type JudgeParts } from "../../../lib/judge/target-judge.ts";
import { defaultTranscripts } from "../../../lib/judge/transcript/transcript-settings.ts";
import { traceMetrics } from "../../../lib/metrics/trace/definitions.ts";

/** Embeddings with which all texts mean the same. @param asked is told of each call. */
export const sameMeanings = (
  asked: () => void = () => undefined,
): Pick<JudgeParts, "connectEmbed" | "embeddingModel"> => {
  const connectEmbed: ConnectEmbed = async () => ({
    ready: true,
    model: "mock/embedding",
    embed: async ({ texts }) => {
      asked();
      return { kind: "vectors", vectors: texts.map(() => [1, 1]), tokens: 0 };
    },
  });
  return { connectEmbed, embeddingModel: "mock/embedding" };
};

/** The service's judge of a trace, whose calls are answered without a network. */
export const judgeAnsweredBy = (complete: Complete, trace: Trace, parts: Partial<JudgeParts> = {}) =>
  targetJudge(
    {
      connect: async () => ({
        ready: true,
        model: "judge",
        complete,
        fullAnswer,
        sampling: () => ({ temperature: 0, effort: null }),
        renewed: async () => false,
      }),
      connectEmbed: async () => ({ ready: false, message: "None." }),
      embeddings: embeddingCache(),
      pairs: projectPairs(),
      embeddingModel: null,
      pace: { now: Date.now, sleep: () => new Promise(() => {}), random: () => 0, longestCall: 60_000 },
      metrics: new Map(traceMetrics.map((metric) => [metric.name, metric])),
      nonce: () => "0".repeat(32),
      transcripts: defaultTranscripts,
      priceOf: () => null,
      usual: usualAnswers(),
      efforts: {},
      ...parts,
    },
    { runId: "run", projectId: "project", trace, traceVersion: 1, model: "mock/judge" },
  );
