/**
 * Kinds of signs, and how many of them common tokenizers put into a token: measured on agents' traces. Letters, digits and
 * marks of JSON count as Latin.
 */
const kinds = [
  { signs: /[A-Za-z0-9+/]{80,}={0,2}/gu, perToken: 2.06 },
  { signs: /[\p{Script=Hiragana}\p{Script=Katakana}]/gu, perToken: 1.4 },
  { signs: /\p{Script=Han}/gu, perToken: 1.6 },
  { signs: /\p{Script=Hangul}/gu, perToken: 1.5 },
  { signs: /[\p{Script=Cyrillic}\p{Script=Greek}]/gu, perToken: 2.6 },
  { signs: /[\p{Script=Arabic}\p{Script=Hebrew}]/gu, perToken: 2.2 },
  { signs: /[\p{Script=Devanagari}\p{Script=Thai}\p{Script=Bengali}\p{Script=Tamil}]/gu, perToken: 1.7 },
  { signs: /\p{Extended_Pictographic}/gu, perToken: 0.7 },
] as const;

const latinPerToken = 3.3;

/** What tokens a text is likely to have. No tokenizer is asked: an estimate, and no bound. */
export const likelyTokens = (text: string): number => {
  let [rest, tokens] = [text.length, 0];
  let others = text;
  for (const { signs, perToken } of kinds) {
    let length = 0;
    others = others.replace(signs, (found) => {
      length += found.length;
      return " ";
    });
    rest -= length;
    tokens += length / perToken;
  }
  return Math.ceil(tokens + rest / latinPerToken);
};
