import { isServiceAccount } from "./google-service-account.ts";
import type { Setting } from "./provider.ts";

/** What is known of a provider without calling it. */
export interface ProviderEntry {
  /** As it stands in front of a model's name. */
  readonly key: string;
  readonly name: string;
  /** A sentence or two for people. */
  readonly description: string;
  /** Without these there is no call. */
  readonly required: readonly Setting[];
  /** What to do about a missing setting, as the end of a sentence; `place` is where it is kept. */
  readonly advice: (place: string) => string;
  /** The shell's variables that hold each setting where the service runs on one's own machine. */
  readonly shell: Readonly<Partial<Record<Setting, string>>>;
  /** What the key's parameter has to hold, as the end of "does not hold ...", and whether a value is that. */
  readonly keyForm: { readonly what: string; readonly holds: (value: string) => boolean };
}

/** What a header can carry: anything else would make the HTTP client quote the key in its error. */
const headerKey = { what: "a key", holds: (value: string): boolean => /^[\u0021-\u007e]+$/u.test(value) };

const serviceAccount = { what: "the JSON of a service account's key", holds: isServiceAccount };

const storeKey = (place: string): string => `store its API key in ${place}`;

/** Every provider there is, in the order of the list that clients get. */
export const providerCatalogue = [
  {
    key: "openai",
    name: "OpenAI",
    description: "OpenAI's models, or a server that speaks OpenAI's protocol at the base URL that is stored for it.",
    required: ["key"],
    advice: storeKey,
    shell: { key: "OPENAI_API_KEY", baseUrl: "OPENAI_BASE_URL" },
    keyForm: headerKey,
  },
  {
    key: "anthropic",
    name: "Anthropic",
    description: "Claude models over Anthropic's Messages API.",
    required: ["key"],
    advice: storeKey,
    shell: { key: "ANTHROPIC_API_KEY" },
    keyForm: headerKey,
  },
  {
    key: "gemini",
    name: "Google Gemini",
    description: "Gemini models over the Gemini API.",
    required: ["key"],
    advice: storeKey,
    shell: { key: "GEMINI_API_KEY" },
    keyForm: headerKey,
  },
  {
    key: "vertex_ai",
    name: "Google Vertex AI",
    description: "Gemini models of a Google Cloud project, called with the key of a service account.",
    required: ["key"],
    advice: (place) => `store the JSON of a service account's key in ${place}`,
    shell: { key: "GOOGLE_APPLICATION_CREDENTIALS" },
    keyForm: serviceAccount,
  },
  {
    key: "bedrock",
    name: "Amazon Bedrock",
    description:
      "Models of Amazon Bedrock (Nova, Llama, Mistral, Claude, ...) over Converse, called with the role of the service: no key.",
    required: [],
    advice: () => "",
    shell: {},
    keyForm: headerKey,
  },
  {
    key: "openrouter",
    name: "OpenRouter",
    description: "Models of many makers through OpenRouter.",
    required: ["key"],
    advice: storeKey,
    shell: { key: "OPENROUTER_API_KEY" },
    keyForm: headerKey,
  },
  {
    key: "custom",
    name: "Custom server",
    description: "Any server that speaks OpenAI's chat completions, at a base URL that the operator stores.",
    required: ["baseUrl"],
    advice: (place) => `store its base URL in ${place}`,
    shell: { key: "CUSTOM_API_KEY", baseUrl: "CUSTOM_BASE_URL" },
    keyForm: headerKey,
  },
  {
    key: "offline",
    name: "Offline rules",
    description:
      "The local runtime's own judge: fixed rules, no model. It says so in every reason and is never deployed.",
    required: ["baseUrl"],
    advice: (place) => `it is the local runtime's own judge, whose address is in ${place} there`,
    shell: {},
    keyForm: headerKey,
  },
] as const satisfies readonly ProviderEntry[];

export type ProviderKey = (typeof providerCatalogue)[number]["key"];

/** What is known of the provider with this key; undefined for any other text. */
export const providerEntry = (key: string): (ProviderEntry & { readonly key: ProviderKey }) | undefined =>
  providerCatalogue.find((entry) => entry.key === key);
