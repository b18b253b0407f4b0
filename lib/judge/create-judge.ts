import { randomBytes } from "node:crypto";
import type { CallTiming } from "./question/call-timing.ts";
import { CallError, unsentFailure } from "./providers/call-failure.ts";
import {
  createConnections,
  createEmbedConnection,
  providerClients,
  type ConnectEmbed,
  type Dialects,
} from "./providers/connections.ts";
import { projectPairs } from "./compare/project-pairs.ts";
import { embeddingCache } from "./compare/embedding-cache.ts";
import type { Judge, TargetJudge } from "./judge.ts";
import type { Metric } from "./metric/metric.ts";
import type { Prices } from "../prices/price.ts";
import { priceOf } from "../prices/judge-prices.ts";
import type { ModelRefusal } from "./prices/model-rules.ts";
import type { ParameterNames } from "./providers/provider-settings.ts";
import type { ReadParameter } from "../parameters/parameters.ts";
import { answerLengthHistory } from "./spending/call-budget.ts";
import { promptTokenHistory } from "./spending/prompt-size.ts";
import type { RequestSigner } from "./providers/provider.ts";
import {
  targetJudge,
  type TargetJudgeDependencies,
  type FindCustomMetric,
  type FindExpectedOutput,
} from "./target-judge.ts";
import { defaultTranscripts, type TranscriptSettings } from "./transcript/transcript.ts";

/** Dependencies of a judge. Clock, randomness and limits have defaults that tests replace. */
export interface JudgeDependencies {
  readonly metrics: readonly Metric[];
  /** Finds custom metrics of projects; without it there are none. */
  readonly findCustomMetric?: FindCustomMetric;
  /** Finds what is expected of traces; without it nothing is. */
  readonly findExpectedOutput?: FindExpectedOutput;
  readonly providers: ParameterNames;
  readonly parameter: ReadParameter;
  /** Embedding model, `<provider>/<model>`; without it texts cannot be compared. */
  readonly embeddingModel?: string | undefined;
  /** Connection to an embedding model that replaces the one of the configured provider. */
  readonly embeddings?: ConnectEmbed;
  /** Signs requests to AWS; without it every call of an AWS service fails. */
  readonly sign?: RequestSigner;
  /** AWS Region of this process. */
  readonly region?: string | undefined;
  /** Model prices set by the operator; they win over the built-in list. */
  readonly prices?: Prices;
  /** Refuses models that must not be asked; all may be asked when absent. */
  readonly modelRefusal?: ModelRefusal;
  /** Reasoning effort by `<provider>/<model>`; models that are not listed use their default. */
  readonly efforts?: Readonly<Record<string, string>>;
  /** Request dialects set by the operator, by provider; other details are learned from refusals. */
  readonly dialects?: Dialects;
  readonly timing?: Partial<CallTiming>;
  readonly nonce?: () => string;
  /** Transcript limits; `defaultTranscripts` when absent. */
  readonly transcripts?: TranscriptSettings;
}

const systemTiming: CallTiming = {
  now: Date.now,
  // Not setTimeout of timers/promises, which creates an error with a stack trace for every aborted wait.
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      const end = (): void => {
        clearTimeout(timer);
        resolve();
      };
      signal?.addEventListener("abort", end, { once: true });
    }),
  random: Math.random,
  maxCallTime: 60_000,
};

const signWithoutRole: RequestSigner = () =>
  Promise.reject(new CallError({ ...unsentFailure, message: "This process has no role to sign requests with." }));

/** Creates a judge over the configured providers. Its `readiness` rejects when provider settings cannot be read. */
export const createJudge = (dependencies: JudgeDependencies): Judge => {
  const timing = { ...systemTiming, ...dependencies.timing };
  const context = { now: timing.now, sign: dependencies.sign ?? signWithoutRole, region: dependencies.region };
  const clients = providerClients(dependencies.providers, dependencies.parameter, context, dependencies.dialects ?? {});
  const { prices = new Map(), modelRefusal = () => null } = dependencies;
  const connect = createConnections(clients, modelRefusal);
  const targetDependencies: TargetJudgeDependencies = {
    connect,
    connectEmbed: dependencies.embeddings ?? createEmbedConnection(clients, dependencies.embeddingModel ?? null),
    embeddings: embeddingCache(),
    pairs: projectPairs(),
    embeddingModel: dependencies.embeddingModel ?? (dependencies.embeddings === undefined ? null : "given"),
    timing,
    metrics: new Map(dependencies.metrics.map((metric) => [metric.name, metric])),
    ...(dependencies.findCustomMetric !== undefined && { findCustomMetric: dependencies.findCustomMetric }),
    ...(dependencies.findExpectedOutput !== undefined && { findExpectedOutput: dependencies.findExpectedOutput }),
    nonce: dependencies.nonce ?? (() => randomBytes(16).toString("hex")),
    transcripts: dependencies.transcripts ?? defaultTranscripts,
    priceOf: (model) => priceOf(model, prices),
    answerLengths: answerLengthHistory(),
    promptTokensOf: promptTokenHistory(),
    efforts: dependencies.efforts ?? {},
  };
  return {
    readiness: async (model) => {
      const connection = await connect(model);
      return connection.ready ? { ready: true } : { ready: false, message: connection.message };
    },
    target: (request) => {
      const judges = new Map<string, TargetJudge>();
      const judgeFor = (model: string): TargetJudge => {
        const judge = judges.get(model) ?? targetJudge(targetDependencies, { ...request, model });
        judges.set(model, judge);
        return judge;
      };
      const judgeOf = async (name: string): Promise<TargetJudge> => {
        const customMetric =
          request.isModelExplicit || targetDependencies.metrics.has(name)
            ? null
            : await targetDependencies.findCustomMetric?.(request.projectId, name);
        const metricModel = customMetric?.method === "judge" ? customMetric.model : null;
        return judgeFor(metricModel ?? request.model);
      };
      const score: TargetJudge["score"] = async (name, deadline, budget) =>
        (await judgeOf(name)).score(name, deadline, budget);
      return {
        score,
        shared: {
          groupsOf: async (names) => {
            const owners = await Promise.all(names.map(async (name) => [await judgeOf(name), name] as const));
            const byJudge = [...Map.groupBy(owners, ([judge]) => judge)];
            const groups = await Promise.all(
              byJudge.map(async ([judge, members]) => await judge.shared?.groupsOf(members.map(([, name]) => name))),
            );
            return groups.flatMap((each) => each ?? []);
          },
          scoreAll: async (names, deadline, budget) => {
            const judge = await judgeOf(names[0] ?? "");
            return (await judge.shared?.scoreAll(names, deadline, budget)) ?? [];
          },
          setupOf: async (name, model) => (await judgeFor(request.model).shared?.setupOf(name, model)) ?? null,
        },
      };
    },
  };
};
