import { modelId, resolveModel } from "../domain/model.ts";
import { ask, type Asked, type Pace } from "./ask.ts";
import type { AnswerSchema } from "./answer-schema.ts";
import { clip } from "./clip.ts";
import { addTokens, noTokens } from "./completion.ts";
import type { Connect, Connection } from "./connections.ts";
import { extractions } from "./extractions.ts";
import type { TargetJudge, TargetRequest } from "./judge.ts";
import type { Metric } from "./metric.ts";
import { metricVerdict, withoutScore } from "./metric-verdict.ts";
import { promptVersion } from "./prompt-version.ts";
import { systemMessage, userMessage } from "./prompt.ts";
import type { Circumstances, Expense } from "./score-metadata.ts";
import { renderTranscript } from "./transcript/transcript.ts";
import type { Verdict } from "./verdict.ts";
import { warmUp } from "./warm-up.ts";

/** What a target's judge works with. */
export interface Bench {
  readonly connect: Connect;
  readonly pace: Pace;
  readonly metrics: ReadonlyMap<string, Metric>;
  /** A text nobody can guess, another at each call. */
  readonly nonce: () => string;
  /** Characters of a transcript. */
  readonly budget: number;
}

/** A call that runs into its time-out can still say so before the deadline. */
const margin = 250;
const longestNote = 8000;
/** setTimeout takes a longer one for 1 ms. */
const longestTimer = 2 ** 31 - 1;

const together = (a: Expense, b: Expense): Expense => ({
  attempts: a.attempts + b.attempts,
  tokens: addTokens(a.tokens, b.tokens),
  latency: a.latency + b.latency,
});

/** The judge of one target. The transcript is made at the first question. */
export const targetJudge = (bench: Bench, { trace, traceVersion, model: given }: TargetRequest): TargetJudge => {
  const { connect, pace, metrics } = bench;
  const nonce = bench.nonce();
  const alone = warmUp();
  const extract = extractions();
  let rendered: ReturnType<typeof renderTranscript> | null = null;
  const transcript = () => (rendered ??= renderTranscript(trace, bench.budget));
  const resolved = resolveModel(given);
  const known: Omit<Circumstances, "promptVersion" | "coverage"> = {
    model: resolved === null ? given : modelId(resolved),
    traceVersion,
    attempts: 0,
    tokens: noTokens,
    latency: 0,
  };

  const judged = async (metric: Metric, circumstances: Circumstances, deadline: number): Promise<Verdict> => {
    let connection: Connection;
    try {
      connection = await connect(given);
    } catch {
      return withoutScore("judge_unavailable", "The judge's settings could not be read.", null, circumstances);
    }
    if (!connection.ready) return withoutScore("judge_auth", connection.message, null, circumstances);
    const { complete, model, renewed } = connection;
    const notes: { name: string; text: string }[] = [];
    const put = (name: string, question: string, answer: AnswerSchema): Promise<Asked<unknown>> =>
      alone(async () => {
        const user = userMessage(nonce, transcript().text, notes, question);
        const asked = await ask({ complete, model, name, system: systemMessage(nonce), user, answer, deadline }, pace);
        // An operator who changes a key must not find all pairs failed for the minutes in which the old one was remembered.
        if (asked.kind === "answered" || asked.code !== "judge_auth" || !(await renewed())) return asked;
        return {
          ...asked,
          code: "judge_unavailable",
          message: "The provider's key was changed just now.",
          retryAfter: 0,
        };
      });
    let spent: Expense = circumstances;
    for (const need of metric.needs) {
      const { asked, own } = await extract(need, () => put(need.name, need.question, need.answer));
      if (own) spent = together(spent, asked.expense);
      if (asked.kind === "failed") {
        return withoutScore(asked.code, asked.message, asked.retryAfter, { ...circumstances, ...spent });
      }
      notes.push({ name: need.name, text: clip(JSON.stringify(asked.answer, null, 1), longestNote) });
    }
    const asked = await put(metric.name, metric.question, metric.answer);
    return metricVerdict(metric, asked, trace, { ...circumstances, ...together(spent, asked.expense) });
  };

  return {
    score: async (name, deadline) => {
      const metric = metrics.get(name);
      if (metric === undefined) throw new Error(`There is no metric ${name}.`);
      const circumstances = { ...known, promptVersion: promptVersion(metric), coverage: transcript().coverage };
      const answered = new AbortController();
      const late = async (): Promise<Verdict> => {
        await pace.sleep(Math.min(Math.max(0, deadline - pace.now()), longestTimer), answered.signal);
        return withoutScore("judge_unavailable", "The judge did not answer in time.", null, circumstances);
      };
      try {
        return await Promise.race([judged(metric, circumstances, deadline - margin), late()]);
      } finally {
        answered.abort();
      }
    },
  };
};
