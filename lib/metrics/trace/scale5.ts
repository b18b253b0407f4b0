import type { Level } from "../../domain/metrics/rubric.ts";

/** A level's name and its meaning, a clause without a full stop. */
type Anchor<Name extends string> = readonly [name: Name, meaning: string];

/** Builds five levels with the values 1, 0.75, 0.5, 0.25 and 0, the best first. */
export const scale5 = <const Name extends string>(
  ...anchors: readonly [Anchor<Name>, Anchor<Name>, Anchor<Name>, Anchor<Name>, Anchor<Name>]
): readonly Level<Name>[] => anchors.map(([name, meaning], place) => ({ name, meaning, value: 1 - place / 4 }));
