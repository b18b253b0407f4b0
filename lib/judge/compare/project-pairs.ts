import type { Vector } from "../providers/provider.ts";

/** Two texts that a metric compares, and their vectors. */
export interface ComparedPair {
  readonly texts: readonly [string, string];
  readonly vectors: readonly [Vector, Vector];
}

/** Pairs of one project that a process has compared lately. */
export interface ProjectPairs {
  /** Those of a key, oldest first. */
  of(key: string): readonly ComparedPair[];
  add(key: string, pair: ComparedPair): void;
}

const keptProjects = 16;
const keptPairs = 32;

/** Remembers the last pairs of the projects that were compared for last. @param key names project, model and metric. */
export const projectPairs = (): ProjectPairs => {
  const known = new Map<string, readonly ComparedPair[]>();
  return {
    of: (key) => known.get(key) ?? [],
    add: (key, pair) => {
      const [first, second] = pair.texts;
      // The same trace again, or the same question put for a test, says nothing new.
      const before = (known.get(key) ?? []).filter(({ texts }) => texts[0] !== first || texts[1] !== second);
      known.delete(key);
      known.set(key, [...before, pair].slice(-keptPairs));
      const [oldest] = known.keys();
      if (known.size > keptProjects && oldest !== undefined) known.delete(oldest);
    },
  };
};

/** Pairs that do not belong together: the first text of each with the second of others. */
export const shuffledPairs = (pairs: readonly ComparedPair[]): readonly ComparedPair["vectors"][] =>
  pairs.flatMap(({ texts, vectors }) =>
    pairs.flatMap((other): ComparedPair["vectors"][] =>
      other.texts[0] === texts[0] || other.texts[1] === texts[1] ? [] : [[vectors[0], other.vectors[1]]],
    ),
  );
