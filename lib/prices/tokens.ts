/**
 * Token counts of a call, normalised across providers. `cached` and `written` are parts of `prompt`: tokens read from the
 * provider's cache, and tokens written to it, which some providers bill higher.
 */
export interface Tokens {
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
  readonly written: number;
}

/** Token counts of a call without reported usage. */
export const noTokens: Tokens = { prompt: 0, completion: 0, cached: 0, written: 0 };

/** Adds two token counts. */
export const addTokens = (a: Tokens, b: Tokens): Tokens => ({
  prompt: a.prompt + b.prompt,
  completion: a.completion + b.completion,
  cached: a.cached + b.cached,
  written: a.written + b.written,
});
