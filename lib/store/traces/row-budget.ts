import { invalid } from "../../domain/refusal.ts";

/** A list that would read more rows than this is refused, never cut short in silence. */
export const maxRows = 2_000_000;

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
    if (rows <= max) return;
    const msg = `More than ${max.toLocaleString("en")} traces would have to be read. Narrow ${bounds}.`;
    throw invalid(loc, msg, "too_many_rows");
  };
};
