import { modelId, resolveModel } from "../../domain/runs/model.ts";
import type { Complete } from "./completion.ts";
import type { ConnectEmbed } from "./embed.ts";
import type { AccessProvider } from "./provider-access.ts";
import { providerCatalogue, providerFacts } from "./provider-catalogue.ts";

/** A model that can be called, or what to configure first. */
type Connection =
  | {
      readonly ready: true;
      readonly model: string;
      readonly complete: Complete;
      /** Whether other settings are stored by now than this connection has: a key that was refused may be an old one. */
      readonly renewed: () => Promise<boolean>;
    }
  | { readonly ready: false; readonly message: string };

/** Finds the way to a model, `<provider>/<model>`. Rejects when the settings could not be read at all. */
export type Connect = (model: string) => Promise<Connection>;

const notReady = (message: string) => ({ ready: false, message }) as const;

const unknownProvider = (provider: string) =>
  notReady(
    `Provider '${provider}' is not known here. Known providers: ${providerCatalogue.map(({ key }) => key).join(", ")}.`,
  );

/** Connections to judge models. */
export const createConnections =
  (access: AccessProvider): Connect =>
  async (given) => {
    const model = resolveModel(given);
    if (model === null) return notReady(`The judge model '${given}' is not of the form <provider>/<model>.`);
    const facts = providerFacts(model.provider);
    if (facts === undefined) return unknownProvider(model.provider);
    const provider = await access(facts);
    if (!provider.ready) return provider;
    return { ready: true, model: model.name, complete: provider.access.complete, renewed: provider.renewed };
  };

/** The connection to this deployment's embedding model, `<provider>/<model>`; null when none was chosen. */
export const createEmbedConnection =
  (access: AccessProvider, given: string | null): ConnectEmbed =>
  async () => {
    if (given === null)
      return notReady(
        "No embedding model is configured: give this deployment the setting 'embeddingModel', such as openai/text-embedding-3-small.",
      );
    const model = resolveModel(given);
    if (model === null) return notReady(`The embedding model '${given}' is not of the form <provider>/<model>.`);
    const facts = providerFacts(model.provider);
    if (facts === undefined) return unknownProvider(model.provider);
    const provider = await access(facts);
    if (!provider.ready) return provider;
    const { embed } = provider.access;
    if (embed === null)
      return notReady(`Provider '${facts.name}' has no embedding models: choose another 'embeddingModel'.`);
    return { ready: true, model: modelId(model), embed: embed(model.name) };
  };
