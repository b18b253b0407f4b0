import type { Vector } from "../providers/provider.ts";

/** Two texts that a metric compared, with their embeddings. */
export interface ComparedPair {
  readonly texts: readonly [string, string];
  readonly vectors: readonly [Vector, Vector];
}

/** In-memory store of recent pairs of compared texts, by project, model and metric. */
export interface ProjectPairs {
  /** Returns the pairs of a key (project, model and metric), oldest first. */
  pairsOf(key: string): readonly ComparedPair[];
  add(key: string, pair: ComparedPair): void;
}

const maxProjects = 16;
const maxPairs = 32;

/** Creates an empty store of pairs: 32 per key (project, model and metric) and 16 keys, the most recent ones. */
export const projectPairs = (): ProjectPairs => {
  const pairsByKey = new Map<string, readonly ComparedPair[]>();
  return {
    pairsOf: (key) => pairsByKey.get(key) ?? [],
    add: (key, pair) => {
      const [first, second] = pair.texts;
      // A pair with the same texts (a retried trace, a repeated test question) replaces the earlier pair.
      const otherPairs = (pairsByKey.get(key) ?? []).filter(({ texts }) => texts[0] !== first || texts[1] !== second);
      pairsByKey.delete(key);
      pairsByKey.set(key, [...otherPairs, pair].slice(-maxPairs));
      const [oldest] = pairsByKey.keys();
      if (pairsByKey.size > maxProjects && oldest !== undefined) pairsByKey.delete(oldest);
    },
  };
};

/** Builds pairs of unrelated texts: the embedding of each pair's first text with those of other pairs' second texts. */
export const shuffledPairs = (pairs: readonly ComparedPair[]): readonly ComparedPair["vectors"][] =>
  pairs.flatMap(({ texts, vectors }) =>
    pairs.flatMap((candidate): ComparedPair["vectors"][] =>
      candidate.texts[0] === texts[0] || candidate.texts[1] === texts[1] ? [] : [[vectors[0], candidate.vectors[1]]],
    ),
  );
