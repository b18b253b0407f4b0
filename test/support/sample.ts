import { seeded } from "./random.ts";

/** True if exhaustive tests run all their cases, as in `npm run test:long`. */
export const runsAllCases = process.env["SAMPLES"] === "all";

/** Share of the cases that `npm test` runs. */
const share = 1 / 8;

/**
 * Draws an eighth of the cases of an exhaustive test, by the seed that the summary of the run prints (`SAMPLE_SEED` repeats it); with
 * `SAMPLES=all`, as in `npm run test:long`, returns all cases.
 *
 * @param label name of the set, so that tests of the same cases draw different ones
 */
export const sample = <Case>(label: string, cases: readonly Case[]): readonly Case[] => {
  if (runsAllCases) return cases;
  const random = seeded(Number(process.env["SAMPLE_SEED"])).fork(label);
  const shuffled = cases.map((value) => ({ value, order: random.next() })).toSorted((a, b) => a.order - b.order);
  const drawn = new Set(shuffled.slice(0, Math.ceil(cases.length * share)).map(({ value }) => value));
  return cases.filter((value) => drawn.has(value));
};
