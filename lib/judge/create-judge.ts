import { randomBytes } from "node:crypto";
import type { Pace } from "./question/ask.ts";
import { NoCredential, unreachable } from "./providers/call-failure.ts";
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
import type { Metric } from "./metric.ts";
import type { Prices } from "./prices/price.ts";
import { priceOf } from "./prices/price-list.ts";
import type { ParameterNames } from "./providers/provider-settings.ts";
import type { ReadParameter } from "../parameters/parameters.ts";
import { usualAnswers } from "./spending/usual-answers.ts";
import type { Sign } from "./providers/provider.ts";
import { targetJudge, type JudgeParts, type CustomMetricOf } from "./target-judge.ts";
import { defaultTranscripts, type TranscriptSettings } from "./transcript/transcript-settings.ts";

/** What a judge is made of. Time, chance and limits have defaults that a test replaces. */
export interface JudgeDependencies {
  readonly metrics: readonly Metric[];
  /** Metrics of projects' own; there are none when absent. */
  readonly own?: CustomMetricOf;
  readonly providers: ParameterNames;
  readonly parameter: ReadParameter;
  /** The embedding model, `<provider>/<model>`; none when absent. */
  readonly embeddingModel?: string | undefined;
  /** The way to the embedding model, in place of the one over its provider. */
  readonly embeddings?: ConnectEmbed;
  /** Signs what goes to AWS; nothing can be signed when absent. */
  readonly sign?: Sign;
  /** The Region this process runs in. */
  readonly region?: string | undefined;
  /** The operator's own prices. */
  readonly prices?: Prices;
  /** How much models are to think before they answer, by `<provider>/<model>`; the others do as they do by themselves. */
  readonly efforts?: Readonly<Record<string, string>>;
  /** What models of providers take; the rest is learned from their refusals. */
  readonly dialects?: Dialects;
  readonly pace?: Partial<Pace>;
  readonly nonce?: () => string;
  /** `defaultTranscripts` when absent. */
  readonly transcripts?: TranscriptSettings;
}

const realPace: Pace = {
  now: Date.now,
  // The one of timers/promises makes an error with a stack for every wait that is ended by its signal.
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
  longestCall: 60_000,
};

const noRole: Sign = () =>
  Promise.reject(new NoCredential({ ...unreachable, message: "This process has no role to sign requests with." }));

/** The judge over the configured providers. `readiness` rejects when the settings themselves could not be read. */
export const createJudge = (dependencies: JudgeDependencies): Judge => {
  const pace = { ...realPace, ...dependencies.pace };
  const surroundings = { now: pace.now, sign: dependencies.sign ?? noRole, region: dependencies.region };
  const clients = providerClients(
    dependencies.providers,
    dependencies.parameter,
    surroundings,
    dependencies.dialects ?? {},
  );
  const connect = createConnections(clients);
  const { prices = new Map() } = dependencies;
  const parts: JudgeParts = {
    connect,
    connectEmbed: dependencies.embeddings ?? createEmbedConnection(clients, dependencies.embeddingModel ?? null),
    embeddings: embeddingCache(),
    pairs: projectPairs(),
    embeddingModel: dependencies.embeddingModel ?? (dependencies.embeddings === undefined ? null : "given"),
    pace,
    metrics: new Map(dependencies.metrics.map((metric) => [metric.name, metric])),
    ...(dependencies.own !== undefined && { own: dependencies.own }),
    nonce: dependencies.nonce ?? (() => randomBytes(16).toString("hex")),
    transcripts: dependencies.transcripts ?? defaultTranscripts,
    priceOf: (model) => priceOf(model, prices),
    usual: usualAnswers(),
    efforts: dependencies.efforts ?? {},
  };
  return {
    readiness: async (model) => {
      const connection = await connect(model);
      return connection.ready ? { ready: true } : { ready: false, message: connection.message };
    },
    target: (request) => {
      const judges = new Map<string, TargetJudge>();
      const judgeBy = (model: string): TargetJudge => {
        const known = judges.get(model) ?? targetJudge(parts, { ...request, model });
        judges.set(model, known);
        return known;
      };
      return {
        score: async (name, deadline, purse) => {
          const own = request.isChosen || parts.metrics.has(name) ? null : await parts.own?.(request.projectId, name);
          const chosen = own?.method === "judge" ? own.model : null;
          return await judgeBy(chosen ?? request.model).score(name, deadline, purse);
        },
      };
    },
  };
};
