import { failureOf, type Failure } from "../providers/provider.ts";
import type { Tokens } from "../../prices/price.ts";

/** Characters of a text that a token has at most on average, in any language: tokens of common words have about five. */
const charactersPerToken = 8;

/** Fewest tokens that a server with a small context window leaves of a prompt; a smaller count is no count of a prompt. */
const smallestWindow = 256;

/** The same for a server that has refused a longer prompt: it tells what is too long, so that a small count is one of a gateway. */
const smallestWindowAfterRefusal = 1024;

/** Counts the characters of a text, each run of one character as one: tokens of blanks or dashes are long. */
const charactersWithoutRuns = (text: string): number => {
  let characters = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) !== text.charCodeAt(at - 1)) characters += 1;
  return characters;
};

/**
 * Returns the failure of an answer whose reported prompt is much shorter than the prompt that was sent: servers such as Ollama cut it at
 * their context window without a word. Null if the count fits, or if none was reported.
 *
 * @param texts parts of the prompt.
 * @param hasRefused true if the server has refused a longer prompt.
 */
export const cutPromptFailure = (texts: readonly string[], tokens: Tokens, hasRefused = false): Failure | null => {
  if (tokens.prompt < (hasRefused ? smallestWindowAfterRefusal : smallestWindow)) return null;
  const limit = tokens.prompt * charactersPerToken;
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  if (length <= limit || texts.reduce((sum, text) => sum + charactersWithoutRuns(text), 0) <= limit) return null;
  const [read, sent] = [tokens.prompt, length].map((count) => count.toLocaleString("en"));
  const message = `The judge's server read ${read} tokens of a prompt of ${sent} characters: it cuts prompts at its context window. Raise the server's window, or lower the transcript's characters for this model.`;
  return failureOf("insufficient_evidence", { message, tokens });
};
