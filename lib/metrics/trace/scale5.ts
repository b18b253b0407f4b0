import { picklist, type PicklistSchema } from "valibot";

/** A verdict that can be given, and what it means: a clause for the judge, without its full stop. */
type Anchor<Name extends string> = readonly [name: Name, meaning: string];

/** A scale of five verdicts. */
export interface Scale5<Name extends string> {
  /** The answer's field. */
  readonly verdict: PicklistSchema<readonly Name[], undefined>;
  /** The scale as a question explains it, a line for each anchor. */
  readonly explained: string;
  /** What a verdict is worth, 0 to 1. */
  readonly value: (verdict: Name) => number;
}

/** A scale that falls in five even steps from 1 to 0: its anchors, the best first. */
export const scale5 = <const Name extends string>(
  ...anchors: readonly [Anchor<Name>, Anchor<Name>, Anchor<Name>, Anchor<Name>, Anchor<Name>]
): Scale5<Name> => {
  const names = anchors.map(([name]) => name);
  return {
    verdict: picklist(names),
    explained: `${anchors.map(([name, meaning]) => `  "${name}": ${meaning}`).join(";\n")}.`,
    value: (verdict) => 1 - names.indexOf(verdict) / 4,
  };
};
