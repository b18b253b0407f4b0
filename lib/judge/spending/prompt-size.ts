/** Size of a prompt, or of a part of it. */
export interface PromptSize {
  /** Bytes of the texts as JSON in UTF-8: no tokenizer makes more tokens of a text than it has bytes. */
  readonly bytes: number;
  /** Estimates the tokens by script, more than known tokenizers make of nearly any text; computed at the first call. */
  readonly estimate: () => number;
}

/** Returns the size of a part whose text is not known: its bytes are its estimate, too. */
export const sizeOfBytes = (bytes: number): PromptSize => ({ bytes, estimate: () => bytes });

/**
 * Tokens of a picture, an upper bound: the highest known count is 48,169 (OpenAI's smallest models, eight tiles), other
 * providers count up to 5,000.
 */
export const maxPictureTokens = 50_000;

/** Splits a text as tokenizers do before they merge: words with their capital, spaces, other scripts, single signs. */
const pieces = /[A-Z]?[a-z]+|[A-Z]+|\s+|[^\p{ASCII}]+|[^]/gu;

/** Letters of a word that a token has at least: fewer in random letters and in capitals. */
const lettersPerToken = { word: 4, random: 1.7, capitals: 1.6 } as const;
const longestWord = 10;
/** Letters of a word of which one is a vowel, at least. */
const lettersPerVowel = 6;

/** True for letters that no word of a language is made of: tokenizers find no long token in them. */
const isRandom = (letters: string): boolean => {
  if (letters.length < 3) return false;
  if (letters.length > longestWord) return true;
  let [vowels, consonants] = [0, 0];
  for (let index = 0; index < letters.length; index += 1) {
    const isVowel = "aeiouyAEIOUY".includes(letters.charAt(index));
    if (isVowel) vowels += 1;
    consonants = isVowel ? 0 : consonants + 1;
    if (consonants > 3) return true;
  }
  return vowels * lettersPerVowel < letters.length;
};

/** Tokens per character of scripts beyond ASCII, by ranges of code points; other characters count their bytes. */
const tokensPerCharacter: readonly (readonly [from: number, to: number, tokens: number])[] = [
  [0x80, 0x7ff, 1.3],
  // Punctuation of East Asia, hiragana and katakana.
  [0x3000, 0x30ff, 1.1],
  [0x4e00, 0x9fff, 1.4],
  // Hangul.
  [0xac00, 0xd7a3, 1.4],
];

const tokensBeyondAscii = (text: string): number => {
  let tokens = 0;
  for (const sign of text) {
    const code = sign.codePointAt(0) ?? 0;
    const range = tokensPerCharacter.find(([from, to]) => code >= from && code <= to);
    tokens += range === undefined ? Buffer.byteLength(sign) : range[2];
  }
  return tokens;
};

/** A token for each change of the kind of space, and for each eight of one kind. */
const tokensOfSpace = (space: string): number => {
  let changes = 1;
  for (let index = 1; index < space.length; index += 1) if (space[index] !== space[index - 1]) changes += 1;
  return changes + space.length / 8;
};

const tokensOfPiece = (piece: string): number => {
  const [first, second] = [piece.charCodeAt(0), piece.charCodeAt(1)];
  if (first > 127) return tokensBeyondAscii(piece);
  // A single space belongs to the word after it.
  if (first <= 32) return piece === " " ? 0.25 : tokensOfSpace(piece);
  const isWord = first >= 97 || second >= 97;
  const perToken = lettersPerToken[isWord ? (isRandom(piece) ? "random" : "word") : "capitals"];
  return Math.max(1, piece.length / perToken);
};

const estimateTokens = (text: string): number => {
  let tokens = 0;
  for (const [piece] of text.matchAll(pieces)) tokens += tokensOfPiece(piece);
  return Math.ceil(tokens);
};

/** Returns the size of a text in a request. */
export const sizeOfText = (text: string): PromptSize => {
  const bytes = Buffer.byteLength(JSON.stringify(text));
  let tokens: number | null = null;
  return { bytes, estimate: () => (tokens ??= Math.min(bytes, estimateTokens(text))) };
};

/** Adds the sizes of the parts of a prompt. */
export const sumOfSizes = (...parts: readonly PromptSize[]): PromptSize => ({
  bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
  estimate: () => parts.reduce((sum, part) => sum + part.estimate(), 0),
});

/** Token counts of a model's prompts. */
export interface PromptTokens {
  /** Returns the tokens that a prompt has at most, as far as the model's tokenizer is known; else its bytes. */
  readonly atMost: (size: PromptSize) => number;
  /** Compares a prompt with the tokens that the provider reported. */
  readonly record: (size: PromptSize, tokens: number) => void;
}

/** Counts a token per byte, which holds for every tokenizer. */
export const tokenPerByte: PromptTokens = { atMost: ({ bytes }) => bytes, record: () => undefined };

/** Allowance for prompts that have more tokens than those reported so far let expect. */
const margin = 1.25;

/**
 * Creates the token counts of models, learned from reported usage in the memory of this process. The estimate by script
 * holds for models with a known tokenizer and for models that reported usage; it is raised by the worst report.
 */
export const promptTokenHistory = (
  hasKnownTokenizer: (model: string) => boolean,
): ((model: string) => PromptTokens) => {
  const factors = new Map<string, number>();
  return (model) => ({
    atMost: (size) => {
      const factor = factors.get(model) ?? (hasKnownTokenizer(model) ? margin : null);
      return factor === null ? size.bytes : Math.min(size.bytes, Math.ceil(factor * size.estimate()));
    },
    record: (size, tokens) => {
      const factor = (margin * tokens) / Math.max(1, size.estimate());
      factors.set(model, Math.max(1, factors.get(model) ?? 1, factor));
    },
  });
};
