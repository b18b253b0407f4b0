import { parse } from "valibot";
import type { Json } from "../domain/json.ts";
import type { Evidence } from "../domain/scores/evidence.ts";
import { modelId, resolveModel } from "../domain/runs/model.ts";
import { compareTexts } from "./compare/compare-texts.ts";
import type { EmbeddingCache } from "./compare/embedding-cache.ts";
import type { TargetJudge, TargetRequest } from "./judge.ts";
import type { Extraction, JudgedMetric, Material, Metric } from "./metric.ts";
import type { Connect, ConnectEmbed } from "./providers/connections.ts";
import { failed, noTokens } from "./providers/provider.ts";
import { together, type Expense, type Pace } from "./question/ask.ts";
import type { Note } from "./question/prompt.ts";
import { promptVersion } from "./question/prompt-version.ts";
import { targetQuestions } from "./question/target-questions.ts";
import { clip } from "./transcript/clip.ts";
import { renderTranscript, type Transcript } from "./transcript/transcript.ts";
import { coverageOf } from "./transcript/coverage.ts";
import type { CostOf, Provenance } from "./verdict/score-metadata.ts";
import { evidenceIn } from "./verdict/evidence.ts";
import { verdictOf, withoutScore, type Verdict } from "./verdict/verdict.ts";

/** What a target's judge works with. */
export interface JudgeParts {
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
/** Longer extractions are cut before they are shown. */
const longestNote = 8000;

/** The judge of one target. The transcript is made at the first question that needs it. */
export const targetJudge = (
  { connect, connectEmbed, embeddings, pace, metrics, nonce, budget, costOf }: JudgeParts,
  { trace, traceVersion, model: givenModel, earlier = [], earlierOmitted = 0 }: TargetRequest,
): TargetJudge => {
  let rendered: Transcript | null = null;
  const transcript = (): Transcript => (rendered ??= renderTranscript(trace, budget));
  let lookUp: ReturnType<typeof evidenceIn> | null = null;
  const evidence = (cited: Json | undefined): Evidence | null => (lookUp ??= evidenceIn(transcript().sections))(cited);
  const questions = targetQuestions(connect, pace, givenModel, nonce(), () => transcript().text);
  const material = { trace, earlier, earlierOmitted };
  const resolved = resolveModel(givenModel);
  const model = resolved === null ? givenModel : modelId(resolved);

  /** What the metric needs is extracted, then its question is put unless the metric does not apply. */
  const judged = async (
    metric: JudgedMetric,
    known: Omit<Provenance, "coverage">,
    deadline: number,
  ): Promise<Verdict> => {
    const notes: Note[] = [];
    const answers = new Map<string, unknown>();
    const seen: Material = {
      ...material,
      extracted: ({ name, answer }: Extraction) => parse(answer, answers.get(name)),
    };
    let spent: Expense = known;
    for (const { name, question, answer } of metric.needs) {
      const { outcome, own } = await questions.putOnce({ name, sees: "record", notes: [], question, answer, deadline });
      if (own) spent = together(spent, outcome.expense);
      const provenance = { ...known, ...spent, coverage: transcript().coverage };
      if (outcome.kind === "failure") return withoutScore(outcome, provenance);
      answers.set(name, outcome.answer);
      notes.push({ name, text: clip(JSON.stringify(outcome.answer, null, 1), longestNote) });
    }
    const inapplicable = metric.inapplicable(seen);
    if (inapplicable !== null) {
      const coverage = metric.needs.length > 0 ? transcript().coverage : coverageOf(0, 0);
      return verdictOf(metric, inapplicable, { ...known, ...spent, coverage });
    }
    const facts = metric.facts?.(seen) ?? null;
    if (facts !== null) notes.push(facts);
    const coverage = facts?.coverage ?? transcript().coverage;
    const { name, sees, question, answer } = metric;
    const outcome = await questions.put({ name, sees, notes, question, answer, deadline });
    const provenance = { ...known, ...together(spent, outcome.expense), coverage };
    if (outcome.kind === "failure") return withoutScore(outcome, provenance);
    const scored = metric.score(outcome.answer, seen);
    // Of notes alone nothing is cited that has a place in the record.
    return verdictOf(metric, scored, provenance, sees === "record" ? evidence(scored.details["evidence"]) : null);
  };

  const verdict = (metric: Metric, known: Omit<Provenance, "coverage">, deadline: number): Promise<Verdict> =>
    metric.method === "judge"
      ? judged(metric, known, deadline)
      : compareTexts(metric, { connect: connectEmbed, cache: embeddings, pace }, material, known, deadline);

  return {
    score: async (name, deadline) => {
      const metric = metrics.get(name);
      if (metric === undefined) throw new Error(`There is no metric ${name}.`);
      const version = promptVersion(metric);
      const known = { model, promptVersion: version, traceVersion, attempts: 0, tokens: noTokens, latency: 0, costOf };
      const answered = new AbortController();
      const late = async (): Promise<Verdict> => {
        await pace.sleep(Math.min(Math.max(0, deadline - pace.now()), longestTimer), answered.signal);
        const provenance = { ...known, coverage: rendered?.coverage ?? coverageOf(0, 0) };
        return withoutScore(failed("judge_unavailable", { message: "The judge did not answer in time." }), provenance);
      };
      try {
        return await Promise.race([verdict(metric, known, deadline - margin), late()]);
      } finally {
        // Without a reason of ours an error with a stack is made for each judgement.
        answered.abort("answered");
      }
    },
  };
};
