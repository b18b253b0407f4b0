import type { HuntName } from "./hunts.ts";

/** The code without one of its defences. */
export interface Mutant {
  /** What is taken away. */
  readonly without: string;
  readonly file: string;
  /** Texts that are there exactly once each, and what takes their place. */
  readonly changes: readonly (readonly [from: string, to: string])[];
  /** What has to notice: a campaign of faults, or files of tests. */
  readonly caughtBy: HuntName | readonly [file: string, ...more: string[]];
}
