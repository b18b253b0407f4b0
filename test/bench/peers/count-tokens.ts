import { getEncoding } from "js-tiktoken";

const encoding = getEncoding("o200k_base");

/** Number of tokens of a text, as OpenAI's models count them. */
export const countTokens = (text: string): number => encoding.encode(text, [], []).length;
