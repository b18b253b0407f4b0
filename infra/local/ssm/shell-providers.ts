import { readFileSync } from "node:fs";
import type { ProviderValues } from "./judge-parameters.ts";

/**
 * What the shell says of providers, in the variables that their own tools use. Vertex AI's key is the file that
 * `GOOGLE_APPLICATION_CREDENTIALS` names.
 *
 * @throws Error when that file cannot be read.
 */
export const shellProviders = (environment: Readonly<Record<string, string | undefined>>): ProviderValues => {
  const file = environment["GOOGLE_APPLICATION_CREDENTIALS"];
  return {
    openai: { key: environment["OPENAI_API_KEY"], baseUrl: environment["OPENAI_BASE_URL"] },
    anthropic: { key: environment["ANTHROPIC_API_KEY"] },
    gemini: { key: environment["GEMINI_API_KEY"] },
    vertex_ai: file === undefined || file === "" ? {} : { key: readFileSync(file, "utf8") },
    openrouter: { key: environment["OPENROUTER_API_KEY"] },
    custom: { key: environment["CUSTOM_API_KEY"], baseUrl: environment["CUSTOM_BASE_URL"] },
  };
};
