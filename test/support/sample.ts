import { seeded } from "./random.ts";

/** True if exhaustive tests run all their cases, as in `npm run test:long`. */
export const runsAllCases = process.env["SAMPLES"] === "all";

/** `npm test` runs one of this many parts of the cases, unless a test says otherwise. */
const defaultParts = 8;

/**
 * Returns a part of the cases of an exhaustive test, an eighth by default, by the seed that the summary of the run prints (`SAMPLE_SEED`
 * repeats it): eight successive seeds return each case once, in an order that differs from eight to eight. With `SAMPLES=all`, as in
 * `npm run test:long`, returns all cases.
 *
 * @param label name of the set, so that tests of the same cases draw different ones
 * @param partCount number of parts, and of the successive seeds that return every case
 */
export const sample = <Case>(label: string, cases: readonly Case[], partCount = defaultParts): readonly Case[] => {
  if (runsAllCases) return cases;
  const seed = Number(process.env["SAMPLE_SEED"]);
  const random = seeded(Math.floor(seed / partCount)).fork(label);
  const shuffled = cases.map((value) => ({ value, order: random.next() })).toSorted((a, b) => a.order - b.order);
  const parts = Math.min(partCount, cases.length);
  const drawn = new Set(shuffled.filter((_, index) => index % parts === seed % parts).map(({ value }) => value));
  return cases.filter((value) => drawn.has(value));
};
