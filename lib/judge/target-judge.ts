import { parse } from "valibot";
import { mapConcurrently } from "../async/concurrency.ts";
import { modelId, resolveModel } from "../domain/runs/model.ts";
import type { CheckMetric, AggregateMetric } from "./verdict/computed-metrics.ts";
import { compareTexts, embeddingModelProblem } from "./compare/compare-texts.ts";
import type { EmbeddingCache } from "./compare/embedding-cache.ts";
import type { ProjectPairs } from "./compare/project-pairs.ts";
import type { TargetJudge, TargetRequest } from "./judge.ts";
import {
  type Extraction,
  type FactOptions,
  type Facts,
  type JudgedMetric,
  type Material,
  type Metric,
  promptVersion,
  setupVersion,
} from "./metric/metric.ts";
import type { Connect, ConnectEmbed } from "./providers/connections.ts";
import { failureOf, defaultAnswerTokens } from "./providers/provider.ts";
import { costOf, type Price } from "../prices/price.ts";
import { flexShares } from "../prices/judge-prices.ts";
import { maxNoteLength, type Note } from "./question/ask-model.ts";
import { untilDeadline, type CallTiming } from "./question/call-timing.ts";
import { targetQuestions } from "./question/target-questions.ts";
import { targetTranscript } from "./target-transcript.ts";
import { traceWithPictures } from "./transcript/binary.ts";
import {
  reserveModelCallBudget,
  type JudgementContext,
  type ModelCallBudget,
  type AnswerLengthHistory,
} from "./spending/call-budget.ts";
import { noExpense, addExpenses, type Expense } from "./spending/expense.ts";
import { unlimitedBudget, type JudgeBudget } from "./spending/judge-budget.ts";
import { sizeOfBytes, sumOfSizes, type PromptSize, type PromptTokens } from "./spending/prompt-size.ts";
import { clip } from "./transcript/shorten.ts";
import type { TranscriptSection } from "./transcript/section.ts";
import {
  coverageOf,
  coveredShare,
  type Coverage,
  maxPictures,
  transcriptBudget,
  type TranscriptSettings,
} from "./transcript/transcript.ts";
import { lineCode } from "./transcript/delimiters.ts";
import {
  type Provenance,
  verdictOf,
  unansweredVerdict,
  unfundedVerdict,
  unscoredVerdict,
  type Verdict,
} from "./verdict/verdict.ts";
import { evidenceIn } from "./verdict/evidence.ts";

/** Finds a custom metric of a project by `name@version`; null if it does not exist. */
export type FindCustomMetric = (
  project: string,
  reference: string,
) => Promise<Metric | CheckMetric | AggregateMetric | null>;

const noCustomMetrics: FindCustomMetric = () => Promise.resolve(null);

/** Dependencies of a target judge: connections, caches, prices and limits of a worker process. */
export interface TargetJudgeDependencies {
  readonly connect: Connect;
  readonly connectEmbed: ConnectEmbed;
  /** Cache of text embeddings, shared by all targets of a worker. */
  readonly embeddings: EmbeddingCache;
  readonly pairs: ProjectPairs;
  /** Embedding model, `<provider>/<model>`; null when none is configured. */
  readonly embeddingModel: string | null;
  readonly timing: CallTiming;
  readonly metrics: ReadonlyMap<string, Metric>;
  /** Finds a version of a custom metric; without it there are no custom metrics. */
  readonly findCustomMetric?: FindCustomMetric;
  /** Returns a new unguessable hexadecimal text at each call; delimits material in prompts. */
  readonly nonce: () => string;
  readonly transcripts: TranscriptSettings;
  /** Returns the price of `<provider>/<model>`; null when it is unknown. */
  readonly priceOf: (model: string) => Price | null;
  /** Lengths of recent answers, shared by all targets of a worker. */
  readonly answerLengths: AnswerLengthHistory;
  /** Token counts of each model's prompts, learned by all targets of a worker. */
  readonly promptTokensOf: (model: string) => PromptTokens;
  /** Reasoning effort by `<provider>/<model>`. */
  readonly efforts: Readonly<Record<string, string>>;
}

/** Milliseconds by which calls must end before the verdict's deadline, so that the time-out of a call can still be reported. */
const deadlineMargin = 250;

/** Maximum parallel questions of one pair (target x metric). */
const maxParallelQuestions = 5;

const summedCoverage = (facts: readonly Facts[]): Coverage =>
  coverageOf(
    facts.reduce((sum, { coverage }) => sum + coverage.shown_characters, 0),
    facts.reduce((sum, { coverage }) => sum + coverage.total_characters, 0),
  );

const sectionsOf = (facts: readonly Facts[]): readonly TranscriptSection[] => facts.flatMap(({ sections }) => sections);

/** Assumed bytes of an extraction's answer before it is known, for the cost bound of questions that will show the answer. */
const assumedNoteBytes = 2000;

type BaseProvenance = Omit<Provenance, "coverage">;

/** Evaluates the parts of a metric that need no call: its applicability and, if it applies, its facts. */
const prepare = (metric: JudgedMetric, material: Material, factOptions: FactOptions) => {
  const inapplicable = metric.inapplicable(material);
  return { inapplicable, facts: inapplicable === null ? (metric.facts?.(material, factOptions) ?? []) : [] };
};

/** Creates the judge of one target. The transcript is rendered when the first question needs it. */
export const targetJudge = (
  {
    connect,
    connectEmbed,
    embeddings,
    pairs,
    embeddingModel,
    timing,
    metrics,
    findCustomMetric = noCustomMetrics,
    nonce,
    transcripts,
    priceOf,
    answerLengths,
    promptTokensOf,
    efforts,
  }: TargetJudgeDependencies,
  {
    projectId,
    trace: originalTrace,
    traceVersion,
    model: requestedModel,
    tier = "standard",
    earlierTraces = [],
    omittedTraceCount = 0,
    onQuestion,
  }: TargetRequest,
): TargetJudge => {
  const resolvedModel = resolveModel(requestedModel);
  const model = resolvedModel === null ? requestedModel : modelId(resolvedModel);
  const { trace, pictures } = traceWithPictures(originalTrace, maxPictures(transcripts, model));
  const code = nonce();
  const transcript = targetTranscript(trace, transcriptBudget(transcripts, model), lineCode(code));
  const sessionMaterial = { trace, earlierTraces, omittedTraceCount };
  const factOptions: FactOptions = { characters: transcriptBudget(transcripts, model), code: lineCode(code) };
  const price = priceOf(model);
  const questions = targetQuestions(
    connect,
    timing,
    requestedModel,
    code,
    { text: () => transcript.current().text, halve: transcript.halve },
    (tokens, isFlex) => costOf(tokens, price, isFlex ? flexShares(model) : undefined),
    tier,
    efforts[model] ?? null,
    pictures,
    onQuestion,
  );

  /** Reserves the cost of a metric's questions, each of which may be retried once; null if the budget is too small. */
  const reserveBudget = async (
    metric: JudgedMetric,
    facts: readonly Facts[],
    budget: JudgeBudget,
  ): Promise<ModelCallBudget | null> => {
    const connection = await connect(requestedModel).catch(() => null);
    const maxTokens = connection?.ready ? connection.maxAnswerTokens : defaultAnswerTokens;
    const openNeeds = metric.needs.filter(({ name }) => !questions.isAsked(name));
    const questionNames = [metric, ...openNeeds].map(({ name }) => name);
    const prompts = (): PromptSize[] => [
      ...openNeeds.map(({ question, answer }) => questions.sizeOf({ sees: "record", notes: [], question, answer })),
      ...(facts.length === 0 ? [[]] : facts.map((fact) => [fact])).map((notes) =>
        sumOfSizes(questions.sizeOf({ ...metric, notes }), sizeOfBytes(metric.needs.length * assumedNoteBytes)),
      ),
    ];
    return await reserveModelCallBudget(
      budget,
      price,
      budget === unlimitedBudget ? [] : prompts(),
      answerLengths.lengths(model, questionNames, maxTokens),
      promptTokensOf(model),
    );
  };

  /** Returns the verdict `insufficient_evidence` if the transcript shows less of the trace than `leastCoverage`, else null. */
  const insufficientCoverage = (coverage: Coverage, provenance: Provenance): Verdict | null => {
    const { leastCoverage } = transcripts;
    if (coveredShare(coverage) >= leastCoverage) return null;
    const [shownPercent, minPercent] = [coverage.ratio, leastCoverage].map((part) => Math.round(part * 100));
    const message = `Too little of the trace can be shown to the judge: ${shownPercent} % of it fits, ${minPercent} % is the least. Raise the transcript's characters for this model, or lower the least coverage.`;
    return unscoredVerdict({ code: "insufficient_evidence", message, retryAfter: null }, provenance);
  };

  /** Asks for the extractions that the metric needs, then its question unless the metric does not apply. */
  const judgeMetric = async (
    metric: JudgedMetric,
    base: BaseProvenance,
    { budget, deadline, onReserved }: JudgementContext,
  ): Promise<Verdict> => {
    const notes: Note[] = [];
    const answers = new Map<string, unknown>();
    const material: Material = {
      ...sessionMaterial,
      extractedAnswer: ({ name, answer }: Extraction) => parse(answer, answers.get(name)),
    };
    const preparation = metric.needs.length === 0 ? prepare(metric, material, factOptions) : null;
    if (preparation?.inapplicable)
      return verdictOf(metric, preparation.inapplicable, { ...base, coverage: coverageOf(0, 0) });
    let spent: Expense = base;
    const provenanceOf = (coverage: Coverage): Provenance => ({
      ...base,
      ...spent,
      coverage,
      sampling: questions.sampling(),
    });
    if (metric.needs.length > 0 || (metric.sees === "record" && metric.facts === null)) {
      const { coverage } = transcript.current();
      const refusal = insufficientCoverage(coverage, provenanceOf(coverage));
      if (refusal !== null) return refusal;
    }
    const callBudget = await reserveBudget(metric, preparation?.facts ?? [], budget);
    if (callBudget === null) return unfundedVerdict({ ...base, coverage: coverageOf(0, 0) });
    onReserved(callBudget);
    const extractedEvidence: string[] = [];
    for (const need of metric.needs) {
      const { name, question, answer } = need;
      const evidenceOf = (reply: unknown): readonly string[] | null => need.evidenceOf?.(parse(answer, reply)) ?? null;
      const extraction = {
        name,
        sees: "record",
        notes: [],
        question,
        answer,
        findFlaw: (reply: unknown): string | null => {
          const cited = evidenceOf(reply);
          return cited === null || transcript.checkEvidence([...cited])?.cited.length
            ? null
            : "None of its evidence is in the record: quote the record word for word.";
        },
        callBudget,
        deadline,
      } as const;
      const { outcome, isPayer } = await questions.askOnce(extraction);
      if (isPayer) spent = addExpenses(spent, outcome.expense);
      if (outcome.kind !== "answered") return unansweredVerdict(outcome, provenanceOf(transcript.current().coverage));
      if (isPayer) answerLengths.record(model, name, outcome.expense.tokens.completion);
      answers.set(name, outcome.answer);
      extractedEvidence.push(...(evidenceOf(outcome.answer) ?? []));
      notes.push({ name, text: clip(JSON.stringify(outcome.answer, null, 1), maxNoteLength) });
    }
    const { inapplicable, facts } = preparation ?? prepare(metric, material, factOptions);
    if (inapplicable !== null) return verdictOf(metric, inapplicable, provenanceOf(transcript.current().coverage));
    const { name, sees, question, answer } = metric;
    const parts: readonly (Facts | undefined)[] = facts.length === 0 ? [undefined] : facts;
    const outcomes = await mapConcurrently(parts.entries(), maxParallelQuestions, ([part, fact]) => {
      const findFlaw = (reply: unknown): string | null => metric.findFlaw(reply, material, part);
      return questions.ask({
        name,
        sees,
        notes: fact === undefined ? notes : [...notes, fact],
        question,
        answer,
        findFlaw,
        callBudget,
        deadline,
      });
    });
    for (const { kind, expense } of outcomes) {
      spent = addExpenses(spent, expense);
      if (kind === "answered") answerLengths.record(model, name, expense.tokens.completion);
    }
    const provenance = provenanceOf(facts.length > 0 ? summedCoverage(facts) : transcript.current().coverage);
    const unansweredOutcome =
      outcomes.find(({ kind }) => kind === "failure") ?? outcomes.find(({ kind }) => kind === "unfunded");
    if (unansweredOutcome !== undefined && unansweredOutcome.kind !== "answered")
      return unansweredVerdict(unansweredOutcome, provenance);
    const replies = outcomes.flatMap((outcome) => (outcome.kind === "answered" ? [outcome.answer] : []));
    const score = metric.score(metric.joinAnswers(replies), material);
    const cited = score.details["evidence"];
    // Citations are checked against the transcript, never against a judge's own extraction; facts are texts of the trace.
    if (sees === "record") return verdictOf(metric, score, provenance, transcript.checkEvidence(cited));
    if (facts.length > 0) return verdictOf(metric, score, provenance, evidenceIn(sectionsOf(facts))(cited));
    const allCited = Array.isArray(cited) ? [...new Set([...cited, ...extractedEvidence])] : cited;
    return verdictOf(metric, score, provenance, transcript.checkEvidence(allCited));
  };

  const verdict = (metric: Metric, base: BaseProvenance, context: JudgementContext): Promise<Verdict> =>
    metric.method === "judge"
      ? judgeMetric(metric, base, context)
      : compareTexts(
          metric,
          { connect: connectEmbed, cache: embeddings, pairs, timing, priceOf },
          { ...sessionMaterial, project: projectId, missing: embeddingModelProblem(model, embeddingModel) },
          base,
          context,
        );

  return {
    score: async (name, deadline, budget = unlimitedBudget) => {
      const metric = metrics.get(name) ?? (await findCustomMetric(projectId, name));
      if (metric === null || metric.method === "fold") throw new Error(`There is no metric ${name}.`);
      if (metric.method === "check") return metric.verdict(trace, traceVersion);
      const version = promptVersion(metric);
      const setup = setupVersion(
        metric,
        transcriptBudget(transcripts, model),
        transcripts.leastCoverage,
        embeddingModel,
        maxPictures(transcripts, model),
      );
      const base = { model, promptVersion: version, setup, traceVersion, tier, ...noExpense };
      let callBudget: ModelCallBudget | null = null;
      const onReserved = (reservedBudget: ModelCallBudget): void => {
        callBudget = reservedBudget;
      };
      const timeoutVerdict = (): Verdict => {
        const spent = callBudget?.spent() ?? noExpense;
        const unreportedCost = spent.unreportedCost + (callBudget?.costInProgress() ?? 0);
        const coverage = transcript.coverage() ?? coverageOf(0, 0);
        const provenance = { ...base, ...spent, unreportedCost, coverage };
        return unscoredVerdict(
          failureOf("judge_unavailable", { message: "The judge did not answer in time." }),
          provenance,
        );
      };
      const verdictInTime = async (): Promise<Verdict> => {
        try {
          return await verdict(metric, base, { budget, deadline: deadline - deadlineMargin, onReserved });
        } finally {
          callBudget?.close();
        }
      };
      return (await untilDeadline(timing, deadline, verdictInTime())) ?? timeoutVerdict();
    },
  };
};
