import { hasKnownTokenizer, loadTokenizers, type CountTokens } from "./tokenizers.ts";

/** Size of a prompt, or of a part of it. */
export interface PromptSize {
  /** Bytes of the texts as JSON in UTF-8: no tokenizer makes more tokens of a text than it has bytes. */
  readonly bytes: number;
  /** Bytes beyond one for each character, which tell other scripts from Latin. */
  readonly wideBytes: number;
  /** Counts the tokens of the texts as JSON, which has at least those of the texts, once. */
  readonly tokens: (count: CountTokens) => number;
}

/** Returns the size of a part whose text is not known: its bytes are its tokens, too. */
export const sizeOfBytes = (bytes: number): PromptSize => ({ bytes, wideBytes: 0, tokens: () => bytes });

/**
 * Tokens of a picture, an upper bound: the highest known count is 48,169 (OpenAI's smallest models, eight tiles), other
 * providers count up to 5,000.
 */
export const maxPictureTokens = 50_000;

/** Returns the size of a text in a request. */
export const sizeOfText = (text: string): PromptSize => {
  let tokens: number | null = null;
  const json = JSON.stringify(text);
  const bytes = Buffer.byteLength(json);
  return {
    bytes,
    wideBytes: bytes - json.length,
    tokens: (count) => (tokens ??= count(JSON.stringify(text))),
  };
};

/** Adds the sizes of the parts of a prompt. */
export const sumOfSizes = (...parts: readonly PromptSize[]): PromptSize => ({
  bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
  wideBytes: parts.reduce((sum, { wideBytes }) => sum + wideBytes, 0),
  tokens: (count) => parts.reduce((sum, part) => sum + part.tokens(count), 0),
});

/** Token counts of a model's prompts. */
export interface PromptTokens {
  /** Loads the tokenizers, if they can tell anything of this model. */
  readonly load: () => Promise<void>;
  /** Returns the tokens that a prompt has at most: its bytes, or fewer where tokenizers are loaded that tell it. */
  readonly atMost: (size: PromptSize) => number;
  /** Remembers the tokens that the provider reported of a prompt. */
  readonly record: (size: PromptSize, tokens: number) => void;
}

/** Counts a token per byte, which holds for every tokenizer. */
export const tokenPerByte: PromptTokens = {
  load: async () => undefined,
  atMost: ({ bytes }) => bytes,
  record: () => undefined,
};

/** Allowance for prompts of which an unknown tokenizer makes more than of those reported so far. */
const margin = 1.25;

/** Bytes that a character has at most for each of its wide bytes: an unknown tokenizer may make a token of each. */
const bytesPerWideByte = 2;

const wideShareOf = ({ bytes, wideBytes }: PromptSize): number => wideBytes / Math.max(1, bytes);

/** A prompt with the tokens that the provider reported. */
interface Report {
  readonly size: PromptSize;
  readonly tokens: number;
}

/**
 * Creates the token counts of models, learned from reported usage in the memory of this process. Published tokenizers count a prompt:
 * for the models that use them; for others after their first report, raised by the worst one and a quarter more. What such a prompt
 * has of other scripts beyond the prompts reported counts by bytes, of which the reports tell nothing.
 */
export const promptTokenHistory = (load = loadTokenizers): ((model: string) => PromptTokens) => {
  const [worstRatios, widestShares] = [new Map<string, number>(), new Map<string, number>()];
  /** By model, the report with the most tokens per byte that is not compared yet: counting takes longer than most calls need. */
  const reports = new Map<string, Report>();
  let count: CountTokens | null = null;
  let loading: Promise<CountTokens> | null = null;

  /** Returns the tokens of a prompt for each that the tokenizers count; null for a model of which nothing is known. */
  const factorOf = (model: string, countTokens: CountTokens): number | null => {
    const report = reports.get(model);
    reports.delete(model);
    if (report !== undefined) {
      const ratio = report.tokens / Math.max(1, report.size.tokens(countTokens));
      worstRatios.set(model, Math.max(1, worstRatios.get(model) ?? 1, ratio));
      widestShares.set(model, Math.max(widestShares.get(model) ?? 0, wideShareOf(report.size)));
    }
    const worst = worstRatios.get(model);
    return hasKnownTokenizer(model) ? (worst ?? 1) : worst === undefined ? null : margin * worst;
  };

  /** Returns the tokens of what a prompt of an unknown tokenizer has of scripts beyond those that were reported. */
  const unseenTokens = (model: string, size: PromptSize): number =>
    hasKnownTokenizer(model)
      ? 0
      : bytesPerWideByte * Math.max(0, size.wideBytes - (widestShares.get(model) ?? 0) * size.bytes);

  return (model) => ({
    load: async () => {
      if (hasKnownTokenizer(model) || reports.has(model) || worstRatios.has(model))
        count ??= await (loading ??= load());
    },
    atMost: (size) => {
      const factor = count === null ? null : factorOf(model, count);
      return factor === null || count === null
        ? size.bytes
        : Math.min(size.bytes, Math.ceil(factor * size.tokens(count) + unseenTokens(model, size)));
    },
    record: (size, tokens) => {
      const worst = reports.get(model);
      if (worst === undefined || tokens / size.bytes > worst.tokens / worst.size.bytes)
        reports.set(model, { size, tokens });
    },
  });
};
