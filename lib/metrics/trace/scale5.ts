import type { Level } from "../../domain/metrics/rubric.ts";

/** A level and what it means: a clause, without its full stop. */
type Anchor<Name extends string> = readonly [name: Name, meaning: string];

/** Levels that fall in five even steps from 1 to 0: the best first. */
export const scale5 = <const Name extends string>(
  ...anchors: readonly [Anchor<Name>, Anchor<Name>, Anchor<Name>, Anchor<Name>, Anchor<Name>]
): readonly Level<Name>[] => anchors.map(([name, meaning], place) => ({ name, meaning, value: 1 - place / 4 }));
