import { readFileSync } from "node:fs";
import type { ProviderValues } from "./judge-parameters.ts";

/**
 * Reads keys and base URLs of model providers from the environment variables that the providers' tools use. The key of Vertex AI is
 * the content of the file that `GOOGLE_APPLICATION_CREDENTIALS` names.
 *
 * @throws Error when that file cannot be read
 */
export const shellProviders = (environment: Readonly<Record<string, string | undefined>>): ProviderValues => {
  const file = environment["GOOGLE_APPLICATION_CREDENTIALS"];
  const openai = { key: environment["OPENAI_API_KEY"], baseUrl: environment["OPENAI_BASE_URL"] };
  return {
    openai,
    "openai-decisions": openai,
    systemone: { key: environment["SYSTEMONE_API_KEY"], baseUrl: environment["SYSTEMONE_BASE_URL"] },
    anthropic: { key: environment["ANTHROPIC_API_KEY"] },
    gemini: { key: environment["GEMINI_API_KEY"] },
    vertex_ai: file === undefined || file === "" ? {} : { key: readFileSync(file, "utf8") },
    openrouter: { key: environment["OPENROUTER_API_KEY"] },
    custom: { key: environment["CUSTOM_API_KEY"], baseUrl: environment["CUSTOM_BASE_URL"] },
  };
};
