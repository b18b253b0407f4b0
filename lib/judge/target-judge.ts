import { modelId, resolveModel } from "../domain/runs/model.ts";
import type { Pace } from "./question/ask.ts";
import { compareTexts } from "./compare/comparing.ts";
import { noTokens } from "./providers/completion.ts";
import type { Connect } from "./providers/connections.ts";
import type { ConnectEmbed } from "./providers/embed.ts";
import type { EmbeddingCache } from "./compare/embedding-cache.ts";
import { extractions } from "./question/extractions.ts";
import type { TargetJudge, TargetRequest } from "./judge.ts";
import { judgeMetric, type Judging } from "./judging.ts";
import type { Metric } from "./metric.ts";
import { withoutScore } from "./verdict/metric-verdict.ts";
import { promptVersion } from "./question/prompt-version.ts";
import { questioning } from "./question/questioning.ts";
import { coverageOf } from "./verdict/coverage.ts";
import type { Circumstances, CostOf } from "./verdict/score-metadata.ts";
import { renderTranscript, type Transcript } from "./transcript/transcript.ts";
import type { Verdict } from "./verdict/verdict.ts";

/** What a target's judge works with. */
export interface Bench {
  readonly connect: Connect;
  readonly connectEmbed: ConnectEmbed;
  /** Shared by all targets of a worker. */
  readonly embeddings: EmbeddingCache;
  readonly pace: Pace;
  readonly metrics: ReadonlyMap<string, Metric>;
  /** A text nobody can guess, another at each call. */
  readonly nonce: () => string;
  /** Characters of a transcript. */
  readonly budget: number;
  readonly costOf: CostOf;
}

/** A call that runs into its time-out can still say so before the deadline. */
const margin = 250;
/** setTimeout takes a longer one for 1 ms. */
const longestTimer = 2 ** 31 - 1;

/** The judge of one target. The transcript is made at the first question that needs it. */
export const targetJudge = (bench: Bench, request: TargetRequest): TargetJudge => {
  const { connect, pace, metrics } = bench;
  const { trace, traceVersion, model: given, earlier = [], earlierOmitted = 0 } = request;
  let rendered: Transcript | null = null;
  const transcript = (): Transcript => (rendered ??= renderTranscript(trace, bench.budget));
  const judging: Judging = {
    put: questioning(connect, pace, given, bench.nonce(), () => transcript().text),
    extract: extractions(),
    material: { trace, earlier, earlierOmitted },
    coverage: () => transcript().coverage,
  };
  const resolved = resolveModel(given);
  const model = resolved === null ? given : modelId(resolved);

  const score = (metric: Metric, known: Omit<Circumstances, "coverage">, deadline: number): Promise<Verdict> => {
    if (metric.method === "judge") return judgeMetric(metric, judging, known, deadline);
    const comparing = { connect: bench.connectEmbed, cache: bench.embeddings, pace };
    return compareTexts(metric, comparing, judging.material, known, deadline);
  };

  return {
    score: async (name, deadline) => {
      const metric = metrics.get(name);
      if (metric === undefined) throw new Error(`There is no metric ${name}.`);
      const version = promptVersion(metric);
      const { costOf } = bench;
      const known = { model, promptVersion: version, traceVersion, attempts: 0, tokens: noTokens, latency: 0, costOf };
      const answered = new AbortController();
      const late = async (): Promise<Verdict> => {
        await pace.sleep(Math.min(Math.max(0, deadline - pace.now()), longestTimer), answered.signal);
        const circumstances = { ...known, coverage: rendered?.coverage ?? coverageOf(0, 0) };
        return withoutScore("judge_unavailable", "The judge did not answer in time.", null, circumstances);
      };
      try {
        return await Promise.race([score(metric, known, deadline - margin), late()]);
      } finally {
        // Without a reason of ours an error with a stack is made for each judgement.
        answered.abort("answered");
      }
    },
  };
};
