import type { Instant } from "../domain/instant.ts";
import type { Json } from "../domain/json.ts";
import { isDecisionModel, modelId, resolveModel } from "../domain/runs/model.ts";
import { provenanceOf, type TraceProvenance } from "../domain/traces/provenance.ts";
import type { CheckMetric, AggregateMetric } from "./verdict/computed-metrics.ts";
import { chatJudge } from "./chat-judge.ts";
import { compareTexts, embeddingModelProblem } from "./compare/compare-texts.ts";
import type { EmbeddingCache } from "./compare/embedding-cache.ts";
import type { ProjectPairs } from "./compare/project-pairs.ts";
import type { TargetJudge, TargetRequest } from "./judge.ts";
import {
  type FactOptions,
  fingerprintOf,
  type JudgedMetric,
  type Metric,
  promptVersion,
  setupVersion,
} from "./metric/metric.ts";
import type { Connect, ConnectEmbed } from "./providers/connections.ts";
import { failureOf, defaultAnswerTokens } from "./providers/provider.ts";
import { costOf, type Price } from "../prices/price.ts";
import { flexShares } from "../prices/judge-prices.ts";
import { groupMetrics } from "./decision/decision-call.ts";
import { decisionPromptVersionOf, judgeByDecision } from "./decision/decision-judge.ts";
import type { CallTiming } from "./question/call-timing.ts";
import { targetQuestions } from "./question/target-questions.ts";
import { targetTranscript } from "./target-transcript.ts";
import { traceWithPictures } from "./transcript/binary.ts";
import {
  reserveModelCallBudget,
  type JudgementContext,
  type ModelCallBudget,
  type AnswerLengthHistory,
} from "./spending/call-budget.ts";
import { noExpense, type Expense } from "./spending/expense.ts";
import { judgeInTime } from "./question/judgement-in-time.ts";
import { unlimitedBudget, type JudgeBudget } from "./spending/judge-budget.ts";
import type { PromptSize, PromptTokens } from "./spending/prompt-size.ts";
import {
  coverageOf,
  type Coverage,
  maxPictures,
  transcriptBudget,
  type TranscriptSettings,
} from "./transcript/transcript.ts";
import { lineCode } from "./transcript/delimiters.ts";
import { type Provenance, insufficientCoverageVerdict, unscoredVerdict, type Verdict } from "./verdict/verdict.ts";

/** Finds a custom metric of a project by `name@version`; null if it does not exist. */
export type FindCustomMetric = (
  project: string,
  reference: string,
) => Promise<Metric | CheckMetric | AggregateMetric | null>;

/** Finds the expected output of the dataset's item that a trace names; null without one. @param startedAt start of the trace. */
export type FindExpectedOutput = (project: string, names: TraceProvenance, startedAt: Instant) => Promise<Json>;

const noCustomMetrics: FindCustomMetric = () => Promise.resolve(null);
const noExpectedOutput: FindExpectedOutput = () => Promise.resolve(null);

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
  /** Finds what is expected of traces; without it nothing is. Called for metrics that use it alone. */
  readonly findExpectedOutput?: FindExpectedOutput;
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

type BaseProvenance = Omit<Provenance, "coverage">;

const isDecidedBy = (model: string, metric: Metric | CheckMetric): metric is JudgedMetric =>
  isDecisionModel(model) && metric.method === "judge";

/** Returns the fingerprints of a metric's prompt, and of everything else than the model that may change a verdict. */
const setupOfMetric = (
  { transcripts, embeddingModel }: Pick<TargetJudgeDependencies, "transcripts" | "embeddingModel">,
  metric: Metric,
  model: string,
) => {
  const version = isDecidedBy(model, metric) ? decisionPromptVersionOf(metric) : promptVersion(metric);
  const [budget, pictureCount] = [transcriptBudget(transcripts, model), maxPictures(transcripts, model)];
  const setup = setupVersion(metric, version, budget, transcripts.leastCoverage, embeddingModel, pictureCount);
  return { promptVersion: version, setup };
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
    findExpectedOutput = noExpectedOutput,
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
  let expectedOutput: Promise<Json> | null = null;
  /** Returns the expected output if a metric uses it; read once for all metrics. */
  const expectedOutputFor = (metric: { readonly usesExpectedOutput: boolean }): Promise<Json> =>
    metric.usesExpectedOutput
      ? (expectedOutput ??= findExpectedOutput(projectId, provenanceOf([trace, ...trace.spans]), trace.started_at))
      : Promise.resolve(null);
  const materialOf = async (metric: JudgedMetric) => ({
    ...sessionMaterial,
    expectedOutput: await expectedOutputFor(metric),
  });
  const factOptions: FactOptions = { characters: transcriptBudget(transcripts, model), code: lineCode(code) };
  const price = priceOf(model);
  const questions = targetQuestions(
    connect,
    timing,
    requestedModel,
    code,
    {
      text: () => transcript.current().text,
      shorten: (part) => transcript.shorten(part, transcripts.leastCoverage),
    },
    (tokens, isFlex) => costOf(tokens, price, isFlex ? flexShares(model) : undefined),
    tier,
    efforts[model] ?? null,
    pictures,
    onQuestion,
  );

  /** Reserves the cost of calls, each of which may be retried once; null if the budget is too small. */
  const reserveCalls = async (
    budget: JudgeBudget,
    questionNames: readonly string[],
    prompts: () => readonly PromptSize[],
  ): Promise<ModelCallBudget | null> => {
    const connection = await connect(requestedModel).catch(() => null);
    const maxTokens = connection?.ready ? connection.maxAnswerTokens : defaultAnswerTokens;
    return await reserveModelCallBudget(
      budget,
      price,
      budget.isUnlimited === true ? [] : prompts(),
      answerLengths.lengths(model, questionNames, maxTokens),
      promptTokensOf(model),
    );
  };

  const coverageVerdict = (coverage: Coverage, provenance: Provenance): Verdict | null =>
    insufficientCoverageVerdict(coverage, transcripts.leastCoverage, provenance);

  const judgeMetric = chatJudge({
    model,
    questions,
    transcript,
    materialOf,
    factOptions,
    refuseCoverage: coverageVerdict,
    reserve: reserveCalls,
    answerLengths,
  });

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

  const findMetric = async (name: string): Promise<Metric | CheckMetric> => {
    const metric = metrics.get(name) ?? (await findCustomMetric(projectId, name));
    if (metric === null || metric.method === "fold") throw new Error(`There is no metric ${name}.`);
    return metric;
  };

  const baseOf = (metric: Metric): BaseProvenance => ({
    model,
    ...setupOfMetric({ transcripts, embeddingModel }, metric, model),
    traceVersion,
    tier,
    ...noExpense,
  });

  const timeoutVerdict = (base: BaseProvenance, expense: Expense): Verdict =>
    unscoredVerdict(failureOf("judge_unavailable", { message: "The judge did not answer in time." }), {
      ...base,
      ...expense,
      coverage: transcript.coverage() ?? coverageOf(0, 0),
    });

  const isDecided = (metric: Metric | CheckMetric): metric is JudgedMetric => isDecidedBy(model, metric);

  /** Judges metrics of one group with a decision model. */
  const decide = async (
    group: readonly JudgedMetric[],
    deadline: number,
    budget: JudgeBudget,
  ): Promise<readonly Verdict[]> => {
    const [first] = group;
    const material = first === undefined ? sessionMaterial : await materialOf(first);
    const grouped = group.map((metric) => ({ metric, base: baseOf(metric) }));
    return await judgeInTime(
      timing,
      deadline,
      budget,
      (context) =>
        judgeByDecision(
          {
            material,
            factOptions,
            questions,
            transcriptCoverage: () => transcript.current().coverage,
            refuseCoverage: coverageVerdict,
            reserve: (judgeBudget, prompts) => reserveCalls(judgeBudget, ["decision"], prompts),
            id: nonce().slice(0, 8),
          },
          grouped,
          context,
        ),
      (expense) => grouped.map(({ base }, index) => timeoutVerdict(base, index === 0 ? expense : noExpense)),
    );
  };

  const score = async (name: string, deadline: number, budget = unlimitedBudget): Promise<Verdict> => {
    const metric = await findMetric(name);
    if (metric.method === "check") return metric.verdict(trace, traceVersion, await expectedOutputFor(metric));
    if (isDecided(metric)) {
      const [only] = await decide([metric], deadline, budget);
      if (only === undefined) throw new Error(`There is no verdict on ${name}.`);
      return only;
    }
    const base = baseOf(metric);
    return await judgeInTime(
      timing,
      deadline,
      budget,
      (context) => verdict(metric, base, context),
      (expense) => timeoutVerdict(base, expense),
    );
  };

  return {
    score,
    shared: {
      groupsOf: async (names) => {
        const metricByName = new Map(
          await Promise.all(names.map(async (name) => [name, await findMetric(name)] as const)),
        );
        const nameByMetric = new Map([...metricByName].map(([name, metric]) => [metric, name]));
        const decisions = [...metricByName.values()].filter(isDecided);
        const groups = groupMetrics(decisions, sessionMaterial);
        return [
          ...groups.map((group) => group.flatMap((metric) => nameByMetric.get(metric) ?? [])),
          ...[...metricByName].flatMap(([name, metric]) => (isDecided(metric) ? [] : [[name]])),
        ];
      },
      scoreAll: async (names, deadline, budget = unlimitedBudget) => {
        const group = (await Promise.all(names.map(findMetric))).filter(isDecided);
        if (group.length === names.length && names.length > 1) return await decide(group, deadline, budget);
        return await Promise.all(names.map((name) => score(name, deadline, budget)));
      },
      setupOf: async (name, otherModel) => {
        const metric = await findMetric(name);
        if (metric.method !== "judge") return null;
        const { setup } = setupOfMetric({ transcripts, embeddingModel }, metric, otherModel);
        return fingerprintOf([setup, efforts[otherModel] ?? null]);
      },
    },
  };
};
