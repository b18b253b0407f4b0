import type { JsonObject } from "../../domain/json.ts";
import type { FailureCode } from "../verdict/verdict.ts";

/**
 * Tokens as the provider counted them, one meaning for all of them: `cached` are those of `prompt` that it took from its
 * cache, `written` those that it put there, which some bill higher than others.
 */
export interface Tokens {
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
  readonly written: number;
}

/** The count of a call that told nothing. */
export const noTokens: Tokens = { prompt: 0, completion: 0, cached: 0, written: 0 };

/** The sum of two counts. */
export const addTokens = (a: Tokens, b: Tokens): Tokens => ({
  prompt: a.prompt + b.prompt,
  completion: a.completion + b.completion,
  cached: a.cached + b.cached,
  written: a.written + b.written,
});

/** One question to a model. */
export interface CompletionRequest {
  /** As the provider calls it. */
  readonly model: string;
  readonly system: string;
  /** The fenced transcript, the same in every question about a target; empty when the question does without it. */
  readonly record: string;
  /** Notes and question: what is not the same. */
  readonly question: string;
  /** Name and strict JSON schema of the answer. */
  readonly schemaName: string;
  readonly schema: JsonObject;
  /** Milliseconds after which the call is given up. */
  readonly timeout: number;
}

/** A call without an answer. `message` is in our own words: no key, nothing the provider wrote but a checked error code. */
export interface Failure {
  readonly kind: "failure";
  readonly code: FailureCode;
  readonly message: string;
  /** Milliseconds the provider asked to wait, when it did. */
  readonly retryAfter: number | null;
  readonly tokens: Tokens;
}

/** What one call came to. */
export type Completion = { readonly kind: "answer"; readonly text: string; readonly tokens: Tokens } | Failure;

/** Makes one call, without any retry. Never rejects for what a provider does. */
export type Complete = (request: CompletionRequest) => Promise<Completion>;
