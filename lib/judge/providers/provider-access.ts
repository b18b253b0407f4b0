import type { ProviderFacts, ProviderKey } from "./provider-catalogue.ts";
import { storedSettings, type ParameterNames, type ReadParameter } from "./provider-settings.ts";
import { anthropic } from "./anthropic.ts";
import { bedrock } from "./bedrock.ts";
import { custom } from "./custom.ts";
import { gemini } from "./gemini.ts";
import { offline } from "./offline.ts";
import { openai } from "./openai.ts";
import { openrouter } from "./openrouter.ts";
import type { Access, Connector, Surroundings } from "./provider.ts";
import { vertexAi } from "./vertex-ai.ts";

const connectors: Readonly<Record<ProviderKey, Connector>> = {
  openai,
  anthropic,
  gemini,
  vertex_ai: vertexAi,
  bedrock,
  openrouter,
  custom,
  offline,
};

/** A provider that can be called, or what to configure first. */
type ProviderAccess =
  | {
      readonly ready: true;
      readonly access: Access;
      /** Whether other settings are stored by now than this client has: a key that was refused may be an old one. */
      readonly renewed: () => Promise<boolean>;
    }
  | { readonly ready: false; readonly message: string };

/** Finds the way to a provider. Rejects when the settings could not be read at all. */
export type AccessProvider = (facts: ProviderFacts & { readonly key: ProviderKey }) => Promise<ProviderAccess>;

/** Ways to providers. The client of a provider, and with it its open sockets, is kept until its settings change. */
export const providerAccess = (
  names: ParameterNames,
  readParameter: ReadParameter,
  surroundings: Surroundings,
): AccessProvider => {
  const kept = new Map<ProviderKey, { readonly settings: string; readonly access: Access }>();
  return async (facts) => {
    const stored = await storedSettings(facts, names, readParameter);
    if ("missing" in stored) return { ready: false, message: stored.missing };
    const settings = JSON.stringify(stored.settings);
    let client = kept.get(facts.key);
    if (client?.settings !== settings) {
      client = { settings, access: connectors[facts.key](stored.settings, surroundings) };
      kept.set(facts.key, client);
    }
    const renewed = async (): Promise<boolean> => {
      const fresh: ReadParameter = (name) => readParameter(name, { fresh: true });
      const current = await storedSettings(facts, names, fresh).catch(() => stored);
      return "settings" in current && JSON.stringify(current.settings) !== settings;
    };
    return { ready: true, access: client.access, renewed };
  };
};
