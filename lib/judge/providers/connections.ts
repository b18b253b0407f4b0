import { countRequest } from "../../async/request-budget.ts";
import { modelId, resolveModel, type ModelName } from "../../domain/runs/model.ts";
import { anthropic } from "./anthropic.ts";
import { bedrock } from "./bedrock.ts";
import { openAiDecisions, systemOne } from "./decisions.ts";
import { custom, gemini, offline, openai, openrouter } from "./openai.ts";
import {
  defaultAnswerTokens,
  type Complete,
  type Connector,
  type Decide,
  type DialectSettings,
  type Embed,
  type ProviderClient,
  type Sampling,
  type ProviderContext,
} from "./provider.ts";
import {
  providerEntry,
  readProviderSettings,
  type ParameterNames,
  type ProviderEntry,
  type ProviderKey,
  unknownProvider,
} from "./provider-settings.ts";
import type { ModelRefusal } from "../prices/model-rules.ts";
import type { ReadParameter } from "../../parameters/parameters.ts";
import type { CallPermit } from "../spending/call-budget.ts";
import { vertexAi } from "./vertex-ai.ts";

/** Connectors by provider key. */
export const connectors: Readonly<Record<ProviderKey, Connector>> = {
  openai,
  anthropic,
  gemini,
  vertex_ai: vertexAi,
  bedrock,
  openrouter,
  custom,
  "openai-decisions": openAiDecisions,
  systemone: systemOne,
  offline,
};

/** A configured connection, or a message that says what to configure. */
type Readiness<Callable> = ({ readonly ready: true } & Callable) | { readonly ready: false; readonly message: string };

/** A provider's client with its current settings. */
interface ConfiguredClient {
  readonly client: ProviderClient;
  /** Checks if the stored settings have changed since the client was created, for example after the provider refused its key. */
  readonly hasNewSettings: () => Promise<boolean>;
}

/** Request dialects set by the operator, by provider, and the time-out of a call in milliseconds. */
export type Dialects = Readonly<Partial<Record<ProviderKey, DialectSettings & Pick<ProviderClient, "maxCallTime">>>>;

/** Finds a provider's client. Rejects when its settings cannot be read. */
export type FindClient = (
  provider: ProviderEntry & { readonly key: ProviderKey },
) => Promise<Readiness<ConfiguredClient>>;

/** Creates the clients of providers. Each client, with its open sockets, is cached until its settings change. */
export const providerClients = (
  names: ParameterNames,
  readParameter: ReadParameter,
  context: ProviderContext,
  dialects: Dialects = {},
): FindClient => {
  const clients = new Map<ProviderKey, { readonly settings: string; readonly client: ProviderClient }>();
  return async (provider) => {
    const result = await readProviderSettings(provider, names, readParameter);
    if ("missing" in result) return { ready: false, message: result.missing };
    const settings = JSON.stringify(result.settings);
    let entry = clients.get(provider.key);
    if (entry?.settings !== settings) {
      const { maxCallTime, ...dialect } = dialects[provider.key] ?? {};
      const clientContext: ProviderContext = { ...context, dialect };
      const client = connectors[provider.key](result.settings, clientContext);
      const maxAnswerTokens = dialect.maxTokens ?? client.maxAnswerTokens ?? defaultAnswerTokens;
      entry = { settings, client: { ...client, maxAnswerTokens, ...(maxCallTime !== undefined && { maxCallTime }) } };
      clients.set(provider.key, entry);
    }
    const hasNewSettings = async (): Promise<boolean> => {
      const fresh: ReadParameter = (name) => readParameter(name, { fresh: true });
      const current = await readProviderSettings(provider, names, fresh).catch(() => result);
      return "settings" in current && JSON.stringify(current.settings) !== settings;
    };
    return { ready: true, client: entry.client, hasNewSettings };
  };
};

/** One call of a provider that is paid for: without a permit of a budget there is no call. */
type Paid<Call extends (request: never) => unknown> = (
  request: Omit<Parameters<Call>[0], "outputTokens">,
  permit: CallPermit,
) => ReturnType<Call>;

/** Asks a chat model. */
export type PaidComplete = Paid<Complete>;

/** Asks a decision model. */
export type PaidDecide = Paid<Decide>;

/** A connection to a judge model. */
interface Connection {
  /** Model name of the provider. */
  readonly model: string;
  readonly complete: PaidComplete;
  /** Asks a decision model; undefined for chat models. */
  readonly decide?: PaidDecide | undefined;
  /** Output token limit of an answer. */
  readonly maxAnswerTokens: number;
  /** Time-out of a call set by the operator, milliseconds. */
  readonly maxCallTime?: number | undefined;
  /** Returns temperature and reasoning effort of the calls; null for a parameter that the model refused. @param effort effort set by the operator. */
  readonly sampling: (effort: string | null) => Sampling;
  readonly hasNewSettings: ConfiguredClient["hasNewSettings"];
}

/** Connects to a judge model, `<provider>/<model>`. Rejects when the provider's settings cannot be read. */
export type Connect = (model: string) => Promise<Readiness<Connection>>;

/** A connection to an embedding model. */
interface EmbedConnection {
  /** Embedding model, `<provider>/<model>`. */
  readonly model: string;
  readonly embed: Paid<Embed>;
}

/** Connects to the embedding model of this deployment. Rejects when the provider's settings cannot be read. */
export type ConnectEmbed = () => Promise<Readiness<EmbedConnection>>;

const notReady = (message: string) => ({ ready: false, message }) as const;

/** Finds the client of a model's provider. @param kind kind of model, for messages. */
const clientOf = async (
  find: FindClient,
  modelText: string,
  kind: "judge" | "embedding",
): Promise<Readiness<ConfiguredClient & { readonly model: ModelName; readonly provider: ProviderEntry }>> => {
  const model = resolveModel(modelText);
  if (model === null) return notReady(`The ${kind} model '${modelText}' is not of the form <provider>/<model>.`);
  const provider = providerEntry(model.provider);
  if (provider === undefined) return notReady(unknownProvider(model) ?? "");
  const client = await find(provider);
  return client.ready ? { ...client, model, provider } : client;
};

/** Counts each call of a provider in the budget of the request that makes it, before the call. */
const counted =
  <Request extends readonly unknown[], Reply>(call: (...request: Request) => Promise<Reply>) =>
  async (...request: Request): Promise<Reply> => {
    countRequest("providerCalls");
    return call(...request);
  };

/** Creates connections to judge models. @param refusalOf says why a model must not be asked. */
export const createConnections =
  (find: FindClient, refusalOf: ModelRefusal = () => null): Connect =>
  async (modelText) => {
    const refusal = refusalOf(modelText);
    if (refusal !== null) return notReady(refusal);
    const configuredClient = await clientOf(find, modelText, "judge");
    if (!configuredClient.ready) return configuredClient;
    const { client, model, hasNewSettings } = configuredClient;
    return {
      ready: true,
      model: model.name,
      complete: counted((request, { outputTokens }) => client.complete({ ...request, outputTokens })),
      decide: client.decide && counted(client.decide),
      maxAnswerTokens: client.maxAnswerTokens ?? defaultAnswerTokens,
      maxCallTime: client.maxCallTime,
      sampling: (effort) => client.sampling(model.name, effort),
      hasNewSettings,
    };
  };

/** Creates the connection to this deployment's embedding model. @param modelText `<provider>/<model>`; null if none is set. */
export const createEmbedConnection =
  (find: FindClient, modelText: string | null): ConnectEmbed =>
  async () => {
    if (modelText === null) {
      return notReady(
        "No embedding model is configured: give this deployment the setting 'embeddingModel', such as openai/text-embedding-3-small.",
      );
    }
    const configuredClient = await clientOf(find, modelText, "embedding");
    if (!configuredClient.ready) return configuredClient;
    const { client, model, provider } = configuredClient;
    if (client.embed === null) {
      return notReady(`Provider '${provider.name}' has no embedding models: choose another 'embeddingModel'.`);
    }
    return { ready: true, model: modelId(model), embed: counted(client.embed(model.name)) };
  };
