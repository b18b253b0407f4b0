/**
 * Classes of characters with the characters per token of common tokenizers, measured on traces of agents. All other characters
 * (Latin letters, digits, JSON punctuation) have `latinPerToken`.
 */
const characterClasses = [
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

/** Estimates the tokens of a text without a tokenizer; not an upper bound. */
export const estimateTokens = (text: string): number => {
  let [latinLength, tokens] = [text.length, 0];
  let remainingText = text;
  for (const { signs, perToken } of characterClasses) {
    let length = 0;
    remainingText = remainingText.replace(signs, (match) => {
      length += match.length;
      return " ";
    });
    latinLength -= length;
    tokens += length / perToken;
  }
  return Math.ceil(tokens + latinLength / latinPerToken);
};
