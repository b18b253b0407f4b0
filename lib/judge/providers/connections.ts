import { modelId, resolveModel, type ModelName } from "../../domain/runs/model.ts";
import { anthropic } from "./anthropic.ts";
import { bedrock } from "./bedrock.ts";
import { custom, gemini, offline, openai, openrouter } from "./compatible.ts";
import {
  fullAnswer,
  type Complete,
  type Connector,
  type Embed,
  type ProviderClient,
  type Sampling,
  type Surroundings,
} from "./provider.ts";
import type { GivenDialect } from "./dialect.ts";
import { storedSettings, type ParameterNames } from "./provider-settings.ts";
import type { ReadParameter } from "../../parameters/parameters.ts";
import { providerCatalogue, providerEntry, type ProviderEntry, type ProviderKey } from "./provider-catalogue.ts";
import { vertexAi } from "./vertex-ai.ts";

/** How to call each provider. */
export const connectors: Readonly<Record<ProviderKey, Connector>> = {
  openai,
  anthropic,
  gemini,
  vertex_ai: vertexAi,
  bedrock,
  openrouter,
  custom,
  offline,
};

/** Something that can be called, or what to configure first. */
type Ready<Callable> = ({ readonly ready: true } & Callable) | { readonly ready: false; readonly message: string };

interface FoundClient {
  readonly client: ProviderClient;
  /** Whether other settings are stored by now than this client has: a key that was refused may be an old one. */
  readonly renewed: () => Promise<boolean>;
}

/** What operators say that the models of providers take. */
export type Dialects = Readonly<Partial<Record<ProviderKey, GivenDialect>>>;

/** Finds a provider's client. Rejects when the settings could not be read at all. */
export type FindClient = (provider: ProviderEntry & { readonly key: ProviderKey }) => Promise<Ready<FoundClient>>;

/** The clients of providers. Each, and with it its open sockets, is kept until its settings change. */
export const providerClients = (
  names: ParameterNames,
  readParameter: ReadParameter,
  surroundings: Surroundings,
  dialects: Dialects = {},
): FindClient => {
  const kept = new Map<ProviderKey, { readonly settings: string; readonly client: ProviderClient }>();
  return async (provider) => {
    const stored = await storedSettings(provider, names, readParameter);
    if ("missing" in stored) return { ready: false, message: stored.missing };
    const settings = JSON.stringify(stored.settings);
    let known = kept.get(provider.key);
    if (known?.settings !== settings) {
      const dialect = dialects[provider.key];
      const around = { ...surroundings, ...(dialect !== undefined && { dialect }) };
      known = { settings, client: connectors[provider.key](stored.settings, around) };
      kept.set(provider.key, known);
    }
    const renewed = async (): Promise<boolean> => {
      const fresh: ReadParameter = (name) => readParameter(name, { fresh: true });
      const current = await storedSettings(provider, names, fresh).catch(() => stored);
      return "settings" in current && JSON.stringify(current.settings) !== settings;
    };
    return { ready: true, client: known.client, renewed };
  };
};

interface Connection {
  /** As the provider calls it. */
  readonly model: string;
  readonly complete: Complete;
  /** Output tokens of a full answer. */
  readonly fullAnswer: number;
  /** How the model is asked, as far as its refusals have taught it. @param effort as the operator has set it. */
  readonly sampling: (effort: string | null) => Sampling;
  readonly renewed: FoundClient["renewed"];
}

/** Finds the way to a model, `<provider>/<model>`. Rejects when the settings could not be read at all. */
export type Connect = (model: string) => Promise<Ready<Connection>>;

interface EmbedConnection {
  /** `<provider>/<model>`. */
  readonly model: string;
  readonly embed: Embed;
}

/** Finds the way to the embedding model of this deployment. Rejects when the settings could not be read at all. */
export type ConnectEmbed = () => Promise<Ready<EmbedConnection>>;

const notReady = (message: string) => ({ ready: false, message }) as const;

/** The provider of a model, with its client. @param kind of model, for words. */
const clientOf = async (
  find: FindClient,
  given: string,
  kind: "judge" | "embedding",
): Promise<Ready<FoundClient & { readonly model: ModelName; readonly provider: ProviderEntry }>> => {
  const model = resolveModel(given);
  if (model === null) return notReady(`The ${kind} model '${given}' is not of the form <provider>/<model>.`);
  const provider = providerEntry(model.provider);
  if (provider === undefined) {
    const known = providerCatalogue.map(({ key }) => key).join(", ");
    return notReady(`Provider '${model.provider}' is not known here. Known providers: ${known}.`);
  }
  const found = await find(provider);
  return found.ready ? { ...found, model, provider } : found;
};

/** Connections to judge models. */
export const createConnections =
  (find: FindClient): Connect =>
  async (given) => {
    const found = await clientOf(find, given, "judge");
    if (!found.ready) return found;
    const { client, model, renewed } = found;
    return {
      ready: true,
      model: model.name,
      complete: client.complete,
      fullAnswer: client.fullAnswer ?? fullAnswer,
      sampling: (effort) => client.sampling(model.name, effort),
      renewed,
    };
  };

/** The connection to this deployment's embedding model, `<provider>/<model>`; null when none was chosen. */
export const createEmbedConnection =
  (find: FindClient, given: string | null): ConnectEmbed =>
  async () => {
    if (given === null) {
      return notReady(
        "No embedding model is configured: give this deployment the setting 'embeddingModel', such as openai/text-embedding-3-small.",
      );
    }
    const found = await clientOf(find, given, "embedding");
    if (!found.ready) return found;
    const { client, model, provider } = found;
    if (client.embed === null) {
      return notReady(`Provider '${provider.name}' has no embedding models: choose another 'embeddingModel'.`);
    }
    return { ready: true, model: modelId(model), embed: client.embed(model.name) };
  };
