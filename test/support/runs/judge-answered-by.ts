import type { Trace } from "../../../lib/domain/traces/trace.ts";
import { embeddingCache } from "../../../lib/judge/compare/embedding-cache.ts";
import { projectPairs } from "../../../lib/judge/compare/project-pairs.ts";
import type { ConnectEmbed } from "../../../lib/judge/providers/connections.ts";
import { defaultAnswerTokens, type Complete } from "../../../lib/judge/providers/provider.ts";
import { answerLengthHistory } from "../../../lib/judge/spending/call-budget.ts";
import { tokenPerByte } from "../../../lib/judge/spending/prompt-size.ts";
import { targetJudge, type TargetJudgeDependencies } from "../../../lib/judge/target-judge.ts";
import { defaultTranscripts } from "../../../lib/judge/transcript/transcript.ts";
import { traceMetrics } from "../../../lib/metrics/trace/definitions.ts";

/** Embeddings by which all texts have the same meaning. @param onCall called for each embedding call. */
export const sameMeanings = (
  onCall: () => void = () => undefined,
): Pick<TargetJudgeDependencies, "connectEmbed" | "embeddingModel"> => {
  const connectEmbed: ConnectEmbed = async () => ({
    ready: true,
    model: "mock/embedding",
    embed: async ({ texts }) => {
      onCall();
      return { kind: "vectors", vectors: texts.map(() => [1, 1]), tokens: 0 };
    },
  });
  return { connectEmbed, embeddingModel: "mock/embedding" };
};

/** The service's judge of a trace, with calls answered in memory. */
export const judgeAnsweredBy = (complete: Complete, trace: Trace, parts: Partial<TargetJudgeDependencies> = {}) =>
  targetJudge(
    {
      connect: async () => ({
        ready: true,
        model: "judge",
        complete: (request, { outputTokens }) => complete({ ...request, outputTokens }),
        maxAnswerTokens: defaultAnswerTokens,
        sampling: () => ({ temperature: 0, effort: null }),
        hasNewSettings: async () => false,
      }),
      connectEmbed: async () => ({ ready: false, message: "None." }),
      embeddings: embeddingCache(),
      pairs: projectPairs(),
      embeddingModel: null,
      timing: { now: Date.now, sleep: () => new Promise(() => {}), random: () => 0, maxCallTime: 60_000 },
      metrics: new Map(traceMetrics.map((metric) => [metric.name, metric])),
      nonce: () => "0".repeat(32),
      transcripts: defaultTranscripts,
      priceOf: () => null,
      answerLengths: answerLengthHistory(),
      promptTokensOf: () => tokenPerByte,
      efforts: {},
      ...parts,
    },
    { runId: "run", projectId: "project", trace, traceVersion: 1, model: "mock/judge" },
  );
