import type { Price } from "../../prices/price.ts";

/** Tokens added to a prompt's texts: field names, roles, and a provider's own instructions about formats. */
const framingTokens = 600;

/** Highest price of a prompt token (uncached, cached or written to the cache), US dollars per million. */
const highestInputPrice = ({ input, cached, written }: Price): number => Math.max(input, cached, written);

/**
 * Computes the bytes of texts in a request (JSON in UTF-8). They bound the token count: no tokenizer makes more tokens of a
 * text than it has bytes.
 */
export const bytesOfTexts = (...texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Buffer.byteLength(JSON.stringify(text)), 0);

/**
 * Bytes that a picture counts as, an upper bound of its tokens: the highest known count is 48,169 (OpenAI's smallest models,
 * eight tiles), other providers count up to 5,000.
 */
export const pictureBytes = 50_000;

/** Computes an upper bound of a prompt's cost, US dollars. @param bytes bytes of the prompt. */
export const promptCost = (price: Price, bytes: number): number =>
  ((bytes + framingTokens) * highestInputPrice(price)) / 1e6;

/** Computes an upper bound of an answer's cost, US dollars. @param tokens output token limit. */
export const answerCost = ({ output }: Price, tokens: number): number => (tokens * output) / 1e6;

/** Computes the output token limit of an answer that costs at most `usd` US dollars. */
export const affordableTokens = ({ output }: Price, usd: number): number =>
  output === 0 ? Infinity : Math.floor((usd * 1e6) / output);
