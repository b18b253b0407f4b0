import { parse } from "valibot";
import type { Json } from "../domain/json.ts";
import { modelId, resolveModel } from "../domain/runs/model.ts";
import { reasons } from "../domain/scores/reason-codes.ts";
import { compareTexts } from "./compare/compare-texts.ts";
import type { EmbeddingCache } from "./compare/embedding-cache.ts";
import type { TargetJudge, TargetRequest } from "./judge.ts";
import type { Extraction, Facts, JudgedMetric, Material, Metric } from "./metric.ts";
import type { Connect, ConnectEmbed } from "./providers/connections.ts";
import { failed, noTokens } from "./providers/provider.ts";
import { together, type Expense, type Pace } from "./question/ask.ts";
import type { Note } from "./question/prompt.ts";
import { promptVersion } from "./question/prompt-version.ts";
import { targetQuestions } from "./question/target-questions.ts";
import { readableTrace } from "./transcript/binary.ts";
import { clip } from "./transcript/clip.ts";
import { coverageOf, knownShare, type Coverage } from "./transcript/coverage.ts";
import { lineCode } from "./transcript/delimiters.ts";
import type { Section } from "./transcript/shorten.ts";
import { renderTranscript, type Transcript } from "./transcript/transcript.ts";
import { transcriptBudget, type TranscriptSettings } from "./transcript/transcript-settings.ts";
import type { CostOf, Provenance } from "./verdict/score-metadata.ts";
import { evidenceIn, type CheckedEvidence } from "./verdict/evidence.ts";
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
  readonly transcripts: TranscriptSettings;
  readonly costOf: CostOf;
}

/** A call that runs into its time-out can still say so before the deadline. */
const margin = 250;
/** setTimeout takes a longer one for 1 ms. */
const longestTimer = 2 ** 31 - 1;
/** Longer extractions are cut before they are shown. */
const longestNote = 8000;

/** Questions of one pair that are put at a time. */
const questionsAtATime = 5;

/** Does something for each number below a count, some of them at a time. */
const inWaves = async <T>(count: number, atATime: number, each: (index: number) => Promise<T>): Promise<T[]> => {
  const done: T[] = [];
  for (let from = 0; from < count; from += atATime) {
    const indexes = Array.from({ length: Math.min(atATime, count - from) }, (_, index) => from + index);
    done.push(...(await Promise.all(indexes.map(each))));
  }
  return done;
};

const summedCoverage = (facts: readonly Facts[]): Coverage =>
  coverageOf(
    facts.reduce((sum, { coverage }) => sum + coverage.shown_characters, 0),
    facts.reduce((sum, { coverage }) => sum + coverage.total_characters, 0),
  );

const sectionsOf = (facts: readonly Facts[], notes: readonly Note[]): readonly Section[] => [
  ...facts.flatMap(({ sections }) => sections),
  ...notes.map(({ text }): Section => ({ head: "", body: text, part: "trace", span: null })),
];

/** The judge of one target. The transcript is made at the first question that needs it. */
export const targetJudge = (
  { connect, connectEmbed, embeddings, pace, metrics, nonce, transcripts, costOf }: JudgeParts,
  { trace: given, traceVersion, model: givenModel, earlier = [], earlierOmitted = 0 }: TargetRequest,
): TargetJudge => {
  const resolved = resolveModel(givenModel);
  const model = resolved === null ? givenModel : modelId(resolved);
  const trace = readableTrace(given);
  const code = nonce();
  let rendered: Transcript | null = null;
  const transcript = (): Transcript =>
    (rendered ??= renderTranscript(trace, transcriptBudget(transcripts, model), lineCode(code)));
  let lookUp: ReturnType<typeof evidenceIn> | null = null;
  const inRecord = (cited: Json | undefined): CheckedEvidence | null =>
    (lookUp ??= evidenceIn(transcript().sections))(cited);
  const questions = targetQuestions(connect, pace, givenModel, code, () => transcript().text);
  const material = { trace, earlier, earlierOmitted };

  /** The verdict where too little of the material is shown to judge by it; null where there is enough. */
  const unshown = (coverage: Coverage, provenance: Provenance): Verdict | null => {
    const { leastCoverage } = transcripts;
    if (knownShare(coverage) >= leastCoverage) return null;
    const [share, least] = [coverage.ratio, leastCoverage].map((part) => Math.round(part * 100));
    const message = `${reasons.insufficient_evidence.words}: ${share} % of it fits, ${least} % is the least. Raise the transcript's characters for this model, or lower the least coverage.`;
    return withoutScore({ code: "insufficient_evidence", message, retryAfter: null }, provenance);
  };

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
    const provenanceOf = (coverage: Coverage): Provenance => ({ ...known, ...spent, coverage });
    if (metric.needs.length > 0 || (metric.sees === "record" && metric.facts === null)) {
      const { coverage } = transcript();
      const missing = unshown(coverage, provenanceOf(coverage));
      if (missing !== null) return missing;
    }
    for (const { name, question, answer } of metric.needs) {
      const { outcome, own } = await questions.putOnce({
        name,
        sees: "record",
        notes: [],
        question,
        answer,
        flaw: () => null,
        deadline,
      });
      if (own) spent = together(spent, outcome.expense);
      if (outcome.kind === "failure") return withoutScore(outcome, provenanceOf(transcript().coverage));
      answers.set(name, outcome.answer);
      notes.push({ name, text: clip(JSON.stringify(outcome.answer, null, 1), longestNote) });
    }
    const inapplicable = metric.inapplicable(seen);
    if (inapplicable !== null) {
      const coverage = metric.needs.length > 0 ? transcript().coverage : coverageOf(0, 0);
      return verdictOf(metric, inapplicable, provenanceOf(coverage));
    }
    const facts = metric.facts?.(seen) ?? [];
    const coverage = facts.length > 0 ? summedCoverage(facts) : transcript().coverage;
    const { name, sees, question, answer } = metric;
    const outcomes = await inWaves(Math.max(1, facts.length), questionsAtATime, (part) => {
      const shown = facts[part];
      const flaw = (given: unknown): string | null => metric.flaw(given, seen, part);
      return questions.put({
        name,
        sees,
        notes: shown === undefined ? notes : [...notes, shown],
        question,
        answer,
        flaw,
        deadline,
      });
    });
    for (const { expense } of outcomes) spent = together(spent, expense);
    const provenance = provenanceOf(coverage);
    const failure = outcomes.find((outcome) => outcome.kind === "failure");
    if (failure?.kind === "failure") return withoutScore(failure, provenance);
    const answered = outcomes.flatMap((outcome) => (outcome.kind === "answered" ? [outcome.answer] : []));
    const scored = metric.score(metric.joined(answered), seen);
    const cited = scored.details["evidence"];
    // Of what was drawn from the record nothing is cited that has a place in it.
    if (sees === "record") return verdictOf(metric, scored, provenance, inRecord(cited));
    return verdictOf(metric, scored, provenance, evidenceIn(sectionsOf(facts, notes))(cited));
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
