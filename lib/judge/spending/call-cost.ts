import type { Price } from "../prices/price.ts";

/** Tokens for what stands around the texts: names of fields in a request, roles, a provider's own words about formats. */
const framing = 600;

/** A provider's cache of what is read, written or neither: none of a prompt's tokens costs more than this, US dollars a million. */
const dearestInput = ({ input, cached, written }: Price): number => Math.max(input, cached, written);

/**
 * Bytes that some texts have together in a request, which is JSON in UTF-8. No tokenizer makes more tokens of a text than it
 * has bytes.
 */
export const bytesOfTexts = (...texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(JSON.stringify(text)), 0);

/**
 * Bytes that a picture counts as: no provider makes so many tokens of one. The most known is 48,169, of OpenAI's smallest models
 * for a picture of eight tiles; others come to 5,000 at most.
 */
export const pictureBytes = 50_000;

/** What a call can cost at most before its answer, US dollars. @param bytes of its prompt. */
export const promptCost = (price: Price, bytes: number): number => ((bytes + framing) * dearestInput(price)) / 1e6;

/** What an answer can cost at most, US dollars. @param tokens that it may have. */
export const answerCost = ({ output }: Price, tokens: number): number => (tokens * output) / 1e6;

/** Tokens that an answer may have which is to cost no more than this. */
export const answerTokens = ({ output }: Price, usd: number): number =>
  output === 0 ? Infinity : Math.floor((usd * 1e6) / output);
