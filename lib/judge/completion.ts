import type { JsonObject } from "../domain/json.ts";
import type { FailureCode } from "./verdict.ts";

/** Tokens as the provider counted them; `cached` are those of `prompt` that it took from its cache. */
export interface Tokens {
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
}

/** The count of a call that told nothing. */
export const noTokens: Tokens = { prompt: 0, completion: 0, cached: 0 };

/** The sum of two counts. */
export const addTokens = (a: Tokens, b: Tokens): Tokens => ({
  prompt: a.prompt + b.prompt,
  completion: a.completion + b.completion,
  cached: a.cached + b.cached,
});

/** One question to a model. */
interface CompletionRequest {
  /** As the provider calls it. */
  readonly model: string;
  readonly system: string;
  readonly user: string;
  /** Name and strict JSON schema of the answer. */
  readonly schemaName: string;
  readonly schema: JsonObject;
  /** Milliseconds after which the call is given up. */
  readonly timeout: number;
}

/** What one call came to. `message` is in our own words: no key, nothing the provider wrote but a checked error code. */
export type Completion =
  | { readonly kind: "answer"; readonly text: string; readonly tokens: Tokens }
  | {
      readonly kind: "failure";
      readonly code: FailureCode;
      readonly message: string;
      /** Milliseconds the provider asked to wait, when it did. */
      readonly retryAfter: number | null;
      readonly tokens: Tokens;
    };

/** Makes one call, without any retry. Never rejects for what a provider does. */
export type Complete = (request: CompletionRequest) => Promise<Completion>;
