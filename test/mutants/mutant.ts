import type { HuntName } from "./hunts.ts";

/** A source change that removes one safeguard; a campaign or a test must detect the change. */
export interface Mutant {
  /** Description of the removed safeguard, as a noun phrase. */
  readonly without: string;
  readonly file: string;
  /** Pairs of a text that occurs exactly once in the file and its replacement. */
  readonly changes: readonly (readonly [from: string, to: string])[];
  /** Fault campaign, or test files or folders, that must fail with this mutant. */
  readonly caughtBy: HuntName | readonly [file: string, ...more: string[]];
}

/** Returns mutants of one file by their descriptions: each replaces one text by another. */
export const mutantsOf = (
  file: string,
  caughtBy: Mutant["caughtBy"],
  changes: Readonly<Record<string, Mutant["changes"][number]>>,
): readonly Mutant[] =>
  Object.entries(changes).map(([without, change]) => ({ without, file, changes: [change], caughtBy }));
