/** Counts the tokens of a text, at most. */
export type CountTokens = (text: string) => number;

/** An encoding as `js-tiktoken` publishes it. */
interface PublishedEncoding {
  /** Pattern of the pieces within which tokens are merged. */
  readonly pat_str: string;
  /** Lines of a label, the rank of the line's first token, and tokens in base64 with consecutive ranks. */
  readonly bpe_ranks: string;
}

/** Ranks of tokens by their bytes, each byte a character. */
type Ranks = ReadonlyMap<string, number>;

const readRanks = (lines: string): Ranks => {
  const ranks = new Map<string, number>();
  for (const line of lines.split("\n")) {
    const [, first, ...tokens] = line.split(" ");
    for (const [index, token] of tokens.entries()) ranks.set(atob(token), Number(first) + index);
  }
  return ranks;
};

/** A priority queue of numbers, the smallest first. */
const smallestFirst = () => {
  const heap: number[] = [];
  const at = (index: number): number => heap[index] ?? Infinity;
  return {
    push: (value: number): void => {
      let index = heap.length;
      for (let parent = (index - 1) >> 1; index > 0 && at(parent) > value; parent = (index - 1) >> 1) {
        heap[index] = at(parent);
        index = parent;
      }
      heap[index] = value;
    },
    pop: (): number | undefined => {
      const [smallest, last] = [heap[0], heap.pop()];
      if (last === undefined || heap.length === 0) return smallest;
      let index = 0;
      for (;;) {
        const leftChild = 2 * index + 1;
        const child = at(leftChild + 1) < at(leftChild) ? leftChild + 1 : leftChild;
        if (at(child) >= last) break;
        heap[index] = at(child);
        index = child;
      }
      heap[index] = last;
      return smallest;
    },
  };
};

/** Factor above every index of a byte, so that a rank and an index are one number that is exact. */
const indexes = 2 ** 32;

/**
 * Counts the tokens of a piece: the pair of the lowest rank is merged until no pair is a token. The time is that of sorting the bytes,
 * since a trace may be one long piece.
 */
const tokensOfPiece = (bytes: string, ranks: Ranks): number => {
  if (ranks.has(bytes)) return 1;
  const { length } = bytes;
  const [next, previous] = [new Int32Array(length + 1), new Int32Array(length + 1)];
  /** Rank of the pair that begins at an index; -1 if it is no token. */
  const rankOfPair = new Int32Array(length).fill(-1);
  const queue = smallestFirst();
  const ratePair = (start: number): void => {
    const middle = next[start] ?? length;
    const rank = middle < length ? ranks.get(bytes.slice(start, next[middle])) : undefined;
    rankOfPair[start] = rank ?? -1;
    if (rank !== undefined) queue.push(rank * indexes + start);
  };
  for (let index = 0; index <= length; index += 1) [next[index], previous[index]] = [index + 1, index - 1];
  for (let index = 0; index < length; index += 1) ratePair(index);
  let tokens = length;
  for (let best = queue.pop(); best !== undefined; best = queue.pop()) {
    const start = best % indexes;
    // A pair whose parts were merged meanwhile has another rank.
    if (rankOfPair[start] !== Math.floor(best / indexes)) continue;
    const middle = next[start] ?? length;
    const end = next[middle] ?? length;
    [next[start], previous[end], rankOfPair[middle]] = [end, start, -1];
    tokens -= 1;
    ratePair(start);
    if (start > 0) ratePair(previous[start] ?? 0);
  }
  return tokens;
};

const counterOf = ({ pat_str, bpe_ranks }: PublishedEncoding): CountTokens => {
  const [pieces, ranks] = [new RegExp(pat_str, "gu"), readRanks(bpe_ranks)];
  return (text) => {
    let tokens = 0;
    for (const [piece] of text.matchAll(pieces)) {
      const isAscii = Buffer.byteLength(piece) === piece.length;
      tokens += tokensOfPiece(isAscii ? piece : Buffer.from(piece).toString("latin1"), ranks);
    }
    return tokens;
  };
};

/** Models of OpenAI, which use one of the two encodings; which of them a new model uses is not published. */
const modelsOfOpenAi = /^openai(?:-decisions)?\/(?:ft:)?(?:gpt-|chatgpt-|o\d)/u;

/** True if the tokenizer of a model is one of those that `loadTokenizers` loads. @param model `<provider>/<model>`. */
export const hasKnownTokenizer = (model: string): boolean => modelsOfOpenAi.test(model);

/** Loads the published encodings: 3.4 MB of code, and 0.3 s. @returns the count of the one that makes more tokens of a text. */
export const loadTokenizers = async (): Promise<CountTokens> => {
  const encodings = await Promise.all([
    import("js-tiktoken/ranks/o200k_base"),
    import("js-tiktoken/ranks/cl100k_base"),
  ]);
  const counters = encodings.map((encoding) => counterOf(encoding.default));
  return (text) => Math.max(...counters.map((count) => count(text)));
};
