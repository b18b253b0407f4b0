import type { ModelName } from "../../domain/runs/model.ts";
import { isServiceAccount } from "./google-service-account.ts";
import type { Setting, Settings } from "./provider.ts";
import type { ReadParameter } from "../../parameters/parameters.ts";

/** Static description of a model provider. */
export interface ProviderEntry {
  /** Key before the slash of `<provider>/<model>`. */
  readonly key: string;
  readonly name: string;
  /** Description for users, one or two sentences. */
  readonly description: string;
  /** Settings without which the provider cannot be called. */
  readonly required: readonly Setting[];
  /** Returns the advice for a missing setting, as the end of a sentence. @param place location where the setting is stored. */
  readonly advice: (place: string) => string;
  /** Environment variables of the local runtime that contain each setting. */
  readonly shellVariables: Readonly<Partial<Record<Setting, string>>>;
  /** Required form of the key: a description that completes "does not hold ...", and a check. */
  readonly keyForm: { readonly description: string; readonly isValid: (value: string) => boolean };
}

/** Form of a key that fits in a header; with other characters the HTTP client would print the key in its error. */
const headerKey = { description: "a key", isValid: (value: string): boolean => /^[\u0021-\u007e]+$/u.test(value) };

const serviceAccount = { description: "the JSON of a service account's key", isValid: isServiceAccount };

const storeKey = (place: string): string => `store its API key in ${place}`;

/** All supported providers, in the order of the API's list. */
export const providerCatalogue = [
  {
    key: "openai",
    name: "OpenAI",
    description: "OpenAI's models, or a server that speaks OpenAI's protocol at the base URL that is stored for it.",
    required: ["key"],
    advice: storeKey,
    shellVariables: { key: "OPENAI_API_KEY", baseUrl: "OPENAI_BASE_URL" },
    keyForm: headerKey,
  },
  {
    key: "anthropic",
    name: "Anthropic",
    description: "Claude models over Anthropic's Messages API.",
    required: ["key"],
    advice: storeKey,
    shellVariables: { key: "ANTHROPIC_API_KEY" },
    keyForm: headerKey,
  },
  {
    key: "gemini",
    name: "Google Gemini",
    description: "Gemini models over the Gemini API.",
    required: ["key"],
    advice: storeKey,
    shellVariables: { key: "GEMINI_API_KEY" },
    keyForm: headerKey,
  },
  {
    key: "vertex_ai",
    name: "Google Vertex AI",
    description: "Gemini models of a Google Cloud project, called with the key of a service account.",
    required: ["key"],
    advice: (place) => `store the JSON of a service account's key in ${place}`,
    shellVariables: { key: "GOOGLE_APPLICATION_CREDENTIALS" },
    keyForm: serviceAccount,
  },
  {
    key: "bedrock",
    name: "Amazon Bedrock",
    description:
      "Models of Amazon Bedrock (Nova, Llama, Mistral, Claude, ...) over Converse, called with the role of the service: no key.",
    required: [],
    advice: () => "",
    shellVariables: {},
    keyForm: headerKey,
  },
  {
    key: "openrouter",
    name: "OpenRouter",
    description: "Models of many makers through OpenRouter.",
    required: ["key"],
    advice: storeKey,
    shellVariables: { key: "OPENROUTER_API_KEY" },
    keyForm: headerKey,
  },
  {
    key: "custom",
    name: "Custom server",
    description: "Any server that speaks OpenAI's chat completions, at a base URL that the operator stores.",
    required: ["baseUrl"],
    advice: (place) => `store its base URL in ${place}`,
    shellVariables: { key: "CUSTOM_API_KEY", baseUrl: "CUSTOM_BASE_URL" },
    keyForm: headerKey,
  },
  {
    key: "openai-decisions",
    name: "OpenAI decision models",
    description:
      "Models that estimate the probability of each statement, over OpenAI's Decisions API: one call a trace.",
    required: ["key"],
    advice: storeKey,
    shellVariables: { key: "OPENAI_API_KEY", baseUrl: "OPENAI_BASE_URL" },
    keyForm: headerKey,
  },
  {
    key: "systemone",
    name: "System One",
    description:
      "Decision models of any server that speaks System One (TypeSafe, OpenRouter, vLLM, ...), at a base URL that the operator stores.",
    required: ["baseUrl"],
    advice: (place) => `store its base URL in ${place}`,
    shellVariables: { key: "SYSTEMONE_API_KEY", baseUrl: "SYSTEMONE_BASE_URL" },
    keyForm: headerKey,
  },
  {
    key: "offline",
    name: "Offline rules",
    description:
      "The local runtime's own judge: fixed rules, no model. It says so in every reason and is never deployed.",
    required: ["baseUrl"],
    advice: (place) => `it is the local runtime's own judge, whose address is in ${place} there`,
    shellVariables: {},
    keyForm: headerKey,
  },
] as const satisfies readonly ProviderEntry[];

/** Key of a supported provider. */
export type ProviderKey = (typeof providerCatalogue)[number]["key"];

/** Finds a provider by its key; undefined for an unknown key. */
export const providerEntry = (key: string): (ProviderEntry & { readonly key: ProviderKey }) | undefined =>
  providerCatalogue.find((entry) => entry.key === key);

/** True for a provider that is a server of the operator: what makes it callable is its address, not a key. */
export const isOwnServer = (key: string): boolean => providerEntry(key)?.required.includes("baseUrl") === true;

/** Base URLs of servers with OpenAI's chat completions that other tools name as providers. */
const customServers: Readonly<Record<string, string>> = {
  azure: "https://<resource>.openai.azure.com/openai/v1",
  deepseek: "https://api.deepseek.com/v1",
  groq: "https://api.groq.com/openai/v1",
  llamacpp: "http://127.0.0.1:8080/v1",
  lmstudio: "http://127.0.0.1:1234/v1",
  mistral: "https://api.mistral.ai/v1",
  ollama: "http://127.0.0.1:11434/v1",
  vllm: "http://127.0.0.1:8000/v1",
};

/** Returns a sentence that says which provider to use instead of one that is not known; null for a known one. */
export const unknownProvider = ({ provider, name }: ModelName): string | null => {
  if (providerEntry(provider) !== undefined) return null;
  const key = provider.toLowerCase().replaceAll(/[^a-z]/gu, "");
  const [, url] = Object.entries(customServers).find(([server]) => key.includes(server)) ?? [];
  const advice =
    url === undefined
      ? `Known providers: ${providerCatalogue.map((entry) => entry.key).join(", ")}`
      : `Its server speaks OpenAI's protocol: store its base URL (${url}) for the provider custom, and name the model custom/${name}`;
  return `Provider '${provider}' is not known here. ${advice}.`;
};

/**
 * Names of the SSM parameters by provider: `{"openai": {"key": "/assay/prod/judge/openai/key"}}`. `isShell` is true if the
 * parameters are filled from environment variables.
 */
export type ParameterNames = Readonly<
  Record<string, Readonly<Partial<Record<Setting, string>>> & { readonly isShell?: boolean }>
>;

/** The stored settings of a provider, or a message that says what to configure. */
type StoredSettings = { readonly settings: Settings } | { readonly missing: string };

const isAddress = (value: string): boolean => {
  const url = URL.parse(value);
  return url !== null && ["http:", "https:"].includes(url.protocol) && url.username === "" && url.password === "";
};

/** Reads and checks the stored settings of a provider. Values are trimmed, since a trailing line break is a common mistake. */
export const readProviderSettings = async (
  provider: ProviderEntry,
  names: ParameterNames,
  readParameter: ReadParameter,
): Promise<StoredSettings> => {
  const { key } = provider;
  const notConfigured = (problem: string): StoredSettings => ({
    missing: `Provider '${provider.name}' is not configured: ${problem}.`,
  });
  const parameterNames = Object.hasOwn(names, key) ? names[key] : undefined;
  if (parameterNames === undefined)
    return notConfigured(`this deployment's setting 'providers' does not name '${key}'`);
  /** Returns the location of a setting, for messages to the operator. */
  const placeOf = (setting: Setting, name: string): string =>
    parameterNames.isShell === true
      ? `the environment variable ${provider.shellVariables[setting]}`
      : `the SSM parameter ${name}`;
  const settings: Partial<Record<Setting, string>> = {};
  for (const setting of ["key", "baseUrl"] as const) {
    const name = parameterNames[setting];
    const value = name === undefined ? undefined : (await readParameter(name))?.trim();
    if (value === undefined || value === "") {
      if (!provider.required.includes(setting)) continue;
      return notConfigured(
        name === undefined
          ? `this deployment names no ${setting} parameter for it`
          : provider.advice(placeOf(setting, name)),
      );
    }
    if (setting === "key" && !provider.keyForm.isValid(value))
      return notConfigured(`${placeOf(setting, name ?? "")} does not hold ${provider.keyForm.description}`);
    if (setting === "baseUrl" && !isAddress(value))
      return notConfigured(`${placeOf(setting, name ?? "")} does not hold a URL`);
    settings[setting] = value;
  }
  return { settings };
};

/** A provider and the state of its configuration. */
interface ProviderState {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly available: boolean;
  /** States that the provider is available, or what to configure. */
  readonly message: string;
}

/** Returns the configuration state of every provider, without calling it. Unreadable settings count as not available. */
export const providerStates = (names: ParameterNames, readParameter: ReadParameter) => (): Promise<ProviderState[]> =>
  Promise.all(
    providerCatalogue.map(async (provider) => {
      const { key, name, description } = provider;
      const unreadableSettings = { missing: `The settings of provider '${name}' could not be read.` };
      const result = await readProviderSettings(provider, names, readParameter).catch(() => unreadableSettings);
      return "missing" in result
        ? { key, name, description, available: false, message: result.missing }
        : { key, name, description, available: true, message: `Provider '${name}' is available.` };
    }),
  );
