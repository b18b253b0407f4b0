import { invalid } from "../../domain/refusal.ts";

/** A list that would read more rows than this is refused, never cut short in silence. */
export const maxRows = 2_000_000;

/**
 * What is said of a list that would have to read more rows than `max`.
 *
 * @param loc of the field that narrows the list.
 * @param bounds names of what narrows it.
 */
export const tooManyRows = (max: number, loc: readonly string[], bounds: string) =>
  invalid(
    loc,
    `More than ${max.toLocaleString("en")} traces would have to be read. Narrow ${bounds}.`,
    "too_many_rows",
  );

/**
 * Counts the rows that a list reads, one with every call.
 *
 * @param loc of the field that narrows the list.
 * @param bounds names of what narrows it.
 * @throws Refusal `invalid`, when called, once there are more than `max`.
 */
export const rowBudget = (max: number, loc: readonly string[], bounds: string): (() => void) => {
  let rows = 0;
  return () => {
    rows += 1;
    if (rows > max) throw tooManyRows(max, loc, bounds);
  };
};

/** Bytes that a list may keep of what it reads, beside the pages that are under way, by the megabytes of its function. */
export const heldLimits = { 1024: 600_000_000, 1769: 1_050_000_000 } as const;

/** What a row takes beside its bytes while it is kept: the objects around them. */
export const rowBytes = 900;

/**
 * Counts the bytes that a list keeps of what it has read, some with every call.
 *
 * @param what is kept, in words: `sessions`.
 * @param loc of the field that narrows the list.
 * @param bounds names of what narrows it.
 * @throws Refusal `invalid`, when called, once there are more than `max`.
 */
export const heldBudget = (
  max: number,
  what: string,
  loc: readonly string[],
  bounds: string,
): ((bytes: number) => void) => {
  let held = 0;
  return (bytes) => {
    held += bytes;
    if (held <= max) return;
    const msg = `There are too many ${what} to keep them in memory, or their texts are too long. Narrow ${bounds}.`;
    throw invalid(loc, msg, "too_many_rows");
  };
};
