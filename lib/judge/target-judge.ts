import { parse } from "valibot";
import type { Json } from "../domain/json.ts";
import { modelId, resolveModel } from "../domain/runs/model.ts";
import type { CheckedMetric } from "./checked-metric.ts";
import type { FoldedMetric } from "./folded-metric.ts";
import { compareTexts } from "./compare/compare-texts.ts";
import type { EmbeddingCache } from "./compare/embedding-cache.ts";
import type { ProjectPairs } from "./compare/project-pairs.ts";
import type { TargetJudge, TargetRequest } from "./judge.ts";
import type { Extraction, FactRoom, Facts, JudgedMetric, Material, Metric } from "./metric.ts";
import type { Connect, ConnectEmbed } from "./providers/connections.ts";
import { failed, fullAnswer } from "./providers/provider.ts";
import { discounted, type Price } from "./prices/price.ts";
import { flexShare } from "./prices/price-list.ts";
import { noExpense, together, type Expense, type Pace } from "./question/ask.ts";
import { longestNote, type Note } from "./question/prompt.ts";
import { promptVersion, setupVersion } from "./question/prompt-version.ts";
import { targetQuestions } from "./question/target-questions.ts";
import { traceWithPictures } from "./transcript/binary.ts";
import { fundsFor, type Asked, type Funds } from "./spending/funds.ts";
import { unlimited, type Purse } from "./spending/purse.ts";
import type { UsualAnswers } from "./spending/usual-answers.ts";
import { clip } from "./transcript/clip.ts";
import { coverageOf, knownShare, type Coverage } from "./transcript/coverage.ts";
import { lineCode } from "./transcript/delimiters.ts";
import type { Section } from "./transcript/shorten.ts";
import { renderTranscript, type Transcript } from "./transcript/transcript.ts";
import { picturesOf, transcriptBudget, type TranscriptSettings } from "./transcript/transcript-settings.ts";
import type { CostOf, Provenance } from "./verdict/score-metadata.ts";
import { evidenceIn, type CheckedEvidence } from "./verdict/evidence.ts";
import { isOffline, verdictOf, withoutAnswer, withoutMoney, withoutScore, type Verdict } from "./verdict/verdict.ts";

/** Finds a metric of a project's own by `name@version`; null when there is none. */
export type CustomMetricOf = (
  project: string,
  reference: string,
) => Promise<Metric | CheckedMetric | FoldedMetric | null>;

const noCustomMetrics: CustomMetricOf = () => Promise.resolve(null);

/** What a target's judge works with. */
export interface JudgeParts {
  readonly connect: Connect;
  readonly connectEmbed: ConnectEmbed;
  /** Shared by all targets of a worker. */
  readonly embeddings: EmbeddingCache;
  readonly pairs: ProjectPairs;
  /** `<provider>/<model>`; null when none is configured. */
  readonly embeddingModel: string | null;
  readonly pace: Pace;
  readonly metrics: ReadonlyMap<string, Metric>;
  /** A version of a metric of a project's own; null when there is none. */
  readonly own?: CustomMetricOf;
  /** A text nobody can guess, another at each call. */
  readonly nonce: () => string;
  readonly transcripts: TranscriptSettings;
  /** By `<provider>/<model>`; null when it is not known. */
  readonly priceOf: (model: string) => Price | null;
  /** Shared by all targets of a worker. */
  readonly usual: UsualAnswers;
  /** How much models are to think before they answer, by `<provider>/<model>`. */
  readonly efforts: Readonly<Record<string, string>>;
}

/** A call that runs into its time-out can still say so before the deadline. */
const margin = 250;
/** setTimeout takes a longer one for 1 ms. */
const longestTimer = 2 ** 31 - 1;

/** Why texts cannot be compared beside a judge, as a clause; null where they can. */
const missingModel = (judge: string, embeddings: string | null): string | null => {
  if (embeddings === null) return "no embedding model is configured: the setting 'embeddingModel' names one.";
  return isOffline(embeddings) && !isOffline(judge)
    ? "the only embedding model here counts words, which says nothing beside a real judge: the setting 'embeddingModel' names one."
    : null;
};

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

/** Bytes of an extraction that is still to be made, as a rule: what it has is known before the question is put. */
const usualNote = 2000;

type Known = Omit<Provenance, "coverage">;

/** What a metric finds without asking. */
const findings = (metric: JudgedMetric, seen: Material, room: FactRoom) => {
  const inapplicable = metric.inapplicable(seen);
  return { inapplicable, facts: inapplicable === null ? (metric.facts?.(seen, room) ?? []) : [] };
};

/** The judge of one target. The transcript is made at the first question that needs it. */
export const targetJudge = (
  {
    connect,
    connectEmbed,
    embeddings,
    pairs,
    embeddingModel,
    pace,
    metrics,
    own = noCustomMetrics,
    nonce,
    transcripts,
    priceOf,
    usual,
    efforts,
  }: JudgeParts,
  {
    projectId,
    trace: given,
    traceVersion,
    model: givenModel,
    tier = "standard",
    earlier = [],
    earlierOmitted = 0,
    onQuestion,
  }: TargetRequest,
): TargetJudge => {
  const resolved = resolveModel(givenModel);
  const model = resolved === null ? givenModel : modelId(resolved);
  const { trace, pictures } = traceWithPictures(given, picturesOf(transcripts, model));
  const code = nonce();
  let rendered: Transcript | null = null;
  let share = 1;
  const transcript = (): Transcript =>
    (rendered ??= renderTranscript(trace, Math.floor(share * transcriptBudget(transcripts, model)), lineCode(code)));
  let lookUp: ReturnType<typeof evidenceIn> | null = null;
  /** A model that takes less is shown half of what there is to show. */
  const halve = (): boolean => {
    if (share < 1) return false;
    share = Math.min(1, transcript().text.length / transcriptBudget(transcripts, model)) / 2;
    [rendered, lookUp] = [null, null];
    return true;
  };
  const inRecord = (cited: Json | undefined): CheckedEvidence | null =>
    (lookUp ??= evidenceIn(transcript().sections))(cited);
  const material = { trace, earlier, earlierOmitted };
  const room: FactRoom = { characters: transcriptBudget(transcripts, model), code: lineCode(code) };
  const price = priceOf(model);
  const costOfTokens: CostOf = (of, tokens, flexTokens) =>
    discounted(tokens, flexTokens, of === model ? price : priceOf(of), flexShare(of));
  const questions = targetQuestions(
    connect,
    pace,
    givenModel,
    code,
    { text: () => transcript().text, halve },
    (tokens, flexTokens) => costOfTokens(model, tokens, flexTokens),
    tier,
    efforts[model] ?? null,
    pictures,
    onQuestion,
  );

  /** Sets money aside for the questions of a metric, each of which may be put twice. */
  const fundsOf = async (metric: JudgedMetric, facts: readonly Facts[], purse: Purse): Promise<Funds | null> => {
    const connection = await connect(givenModel).catch(() => null);
    const full = connection?.ready ? connection.fullAnswer : fullAnswer;
    const open = metric.needs.filter(({ name }) => !questions.isPut(name));
    const asked = [metric, ...open].map(({ name }) => name);
    const prompts = (): number[] => [
      ...open.map(({ question, answer }) => questions.bytesOf({ sees: "record", notes: [], question, answer })),
      ...(facts.length === 0 ? [[]] : facts.map((one) => [one])).map(
        (notes) => questions.bytesOf({ ...metric, notes }) + metric.needs.length * usualNote,
      ),
    ];
    return await fundsFor(purse, price, purse === unlimited ? [] : prompts(), usual.lengths(model, asked, full));
  };

  /** The verdict where too little of the material is shown to judge by it; null where there is enough. */
  const unshown = (coverage: Coverage, provenance: Provenance): Verdict | null => {
    const { leastCoverage } = transcripts;
    if (knownShare(coverage) >= leastCoverage) return null;
    const [share, least] = [coverage.ratio, leastCoverage].map((part) => Math.round(part * 100));
    const message = `Too little of the trace can be shown to the judge: ${share} % of it fits, ${least} % is the least. Raise the transcript's characters for this model, or lower the least coverage.`;
    return withoutScore({ code: "insufficient_evidence", message, retryAfter: null }, provenance);
  };

  /** What the metric needs is extracted, then its question is put unless the metric does not apply. */
  const judged = async (metric: JudgedMetric, known: Known, { purse, deadline, hold }: Asked): Promise<Verdict> => {
    const notes: Note[] = [];
    const answers = new Map<string, unknown>();
    const seen: Material = {
      ...material,
      extracted: ({ name, answer }: Extraction) => parse(answer, answers.get(name)),
    };
    const ready = metric.needs.length === 0 ? findings(metric, seen, room) : null;
    if (ready?.inapplicable) return verdictOf(metric, ready.inapplicable, { ...known, coverage: coverageOf(0, 0) });
    let spent: Expense = known;
    const provenanceOf = (coverage: Coverage): Provenance => ({
      ...known,
      ...spent,
      coverage,
      sampling: questions.sampling(),
    });
    if (metric.needs.length > 0 || (metric.sees === "record" && metric.facts === null)) {
      const { coverage } = transcript();
      const missing = unshown(coverage, provenanceOf(coverage));
      if (missing !== null) return missing;
    }
    const funds = await fundsOf(metric, ready?.facts ?? [], purse);
    if (funds === null) return withoutMoney({ ...known, coverage: coverageOf(0, 0) });
    hold(funds);
    for (const { name, question, answer } of metric.needs) {
      const asked = { name, sees: "record", notes: [], question, answer, flaw: () => null, funds, deadline } as const;
      const { outcome, own } = await questions.putOnce(asked);
      if (own) spent = together(spent, outcome.expense);
      if (outcome.kind !== "answered") return withoutAnswer(outcome, provenanceOf(transcript().coverage));
      if (own) usual.note(model, name, outcome.expense.tokens.completion);
      answers.set(name, outcome.answer);
      notes.push({ name, text: clip(JSON.stringify(outcome.answer, null, 1), longestNote) });
    }
    const { inapplicable, facts } = ready ?? findings(metric, seen, room);
    if (inapplicable !== null) return verdictOf(metric, inapplicable, provenanceOf(transcript().coverage));
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
        funds,
        deadline,
      });
    });
    for (const { kind, expense } of outcomes) {
      spent = together(spent, expense);
      if (kind === "answered") usual.note(model, name, expense.tokens.completion);
    }
    const provenance = provenanceOf(facts.length > 0 ? summedCoverage(facts) : transcript().coverage);
    const open = outcomes.find(({ kind }) => kind === "failure") ?? outcomes.find(({ kind }) => kind === "unfunded");
    if (open !== undefined && open.kind !== "answered") return withoutAnswer(open, provenance);
    const answered = outcomes.flatMap((outcome) => (outcome.kind === "answered" ? [outcome.answer] : []));
    const scored = metric.score(metric.joined(answered), seen);
    const cited = scored.details["evidence"];
    // Of what was drawn from the record nothing is cited that has a place in it.
    if (sees === "record") return verdictOf(metric, scored, provenance, inRecord(cited));
    return verdictOf(metric, scored, provenance, evidenceIn(sectionsOf(facts, notes))(cited));
  };

  const verdict = (metric: Metric, known: Known, asked: Asked): Promise<Verdict> =>
    metric.method === "judge"
      ? judged(metric, known, asked)
      : compareTexts(
          metric,
          { connect: connectEmbed, cache: embeddings, pairs, pace, priceOf },
          { ...material, project: projectId, missing: missingModel(model, embeddingModel) },
          known,
          asked,
        );

  return {
    score: async (name, deadline, purse = unlimited) => {
      const metric = metrics.get(name) ?? (await own(projectId, name));
      if (metric === null || metric.method === "fold") throw new Error(`There is no metric ${name}.`);
      if (metric.method === "check") return metric.verdict(trace, traceVersion);
      const version = promptVersion(metric);
      const setup = setupVersion(
        metric,
        transcriptBudget(transcripts, model),
        transcripts.leastCoverage,
        embeddingModel,
        picturesOf(transcripts, model),
      );
      const known = { model, promptVersion: version, setup, traceVersion, tier, ...noExpense, costOf: costOfTokens };
      const answered = new AbortController();
      let funds: Funds | null = null;
      const hold = (own: Funds): void => {
        funds = own;
      };
      const timeIsUp = async (): Promise<null> => {
        await pace.sleep(Math.min(Math.max(0, deadline - pace.now()), longestTimer), answered.signal);
        return null;
      };
      const late = (): Verdict => {
        const untold = funds?.underWay() ?? 0;
        const provenance = { ...known, untold, coverage: rendered?.coverage ?? coverageOf(0, 0) };
        return withoutScore(failed("judge_unavailable", { message: "The judge did not answer in time." }), provenance);
      };
      const ended = async (): Promise<Verdict> => {
        try {
          return await verdict(metric, known, { purse, deadline: deadline - margin, hold });
        } finally {
          funds?.close();
        }
      };
      try {
        return (await Promise.race([ended(), timeIsUp()])) ?? late();
      } finally {
        // Without a reason of ours an error with a stack is made for each judgement.
        answered.abort("answered");
      }
    },
  };
};
