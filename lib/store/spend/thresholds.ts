import type { PendingEvent } from "../../domain/event.ts";
import { nextMonth, type Micros, type MonthlyCeiling } from "../../domain/runs/budget.ts";
import type { Write } from "../../dynamo/items.ts";
import { outboxWrite } from "../events/outbox.ts";

/** Parts of a monthly ceiling that are announced when they are reached, percent. */
const percents = [50, 80, 100] as const;

/** Use of a monthly budget, spent or reserved. */
export interface BudgetUse {
  readonly budget: string;
  readonly ceiling: MonthlyCeiling;
  /** The project that spends. */
  readonly project: string;
  readonly limit: Micros;
  readonly used: Micros;
}

/** Builds the event of a reached part of a ceiling. @param now epoch milliseconds. */
export type ThresholdEvent = (reached: BudgetUse & { readonly percent: number }, now: number) => PendingEvent;

/** Max reached parts that a worker remembers to have announced. */
const maxRemembered = 20_000;

/**
 * Remembers which reached parts of monthly ceilings this worker has announced. The first reservation of each worker that sees one
 * writes it to the outbox, where it stays until the month ends: a new item is announced, a repeated write is not.
 *
 * @param eventOf builds the events; null to announce none.
 */
export const spendThresholds = (eventOf: ThresholdEvent | null) => {
  const written = new Set<string>();

  /** Returns the events of what a budget's use has reached. */
  const reachedBy = (use: BudgetUse, isExhausted: boolean, now: number): readonly PendingEvent[] =>
    percents
      .filter((percent) => use.used * 100 >= use.limit * percent || (percent === 100 && isExhausted))
      .flatMap((percent) => eventOf?.({ ...use, percent }, now) ?? [])
      .filter(({ id }) => !written.has(id));

  return {
    /**
     * Announces what budgets reach with the transaction that changes their use.
     *
     * @param uses use of the budgets before it. @param grant micro-dollars that it adds to each.
     * @param change makes the transaction with additional writes; false if it was not made.
     */
    announceWith: async (
      {
        uses,
        grant,
        isExhausted,
        now,
      }: {
        readonly uses: readonly BudgetUse[];
        readonly grant: Micros;
        /** True if the budgets have no room for a judgement. */
        readonly isExhausted: boolean;
        /** Epoch milliseconds. */
        readonly now: number;
      },
      change: (writes: readonly Write[]) => Promise<boolean>,
    ): Promise<boolean> => {
      const writes: Write[] = [];
      const ids: string[] = [];
      for (const use of uses)
        for (const event of reachedBy({ ...use, used: use.used + grant }, isExhausted, now)) {
          writes.push(outboxWrite(event, { isShared: use.ceiling !== "project", until: nextMonth(now) }));
          ids.push(event.id);
        }
      if (!(await change(writes))) return false;
      if (written.size >= maxRemembered) written.clear();
      for (const id of ids) written.add(id);
      return true;
    },
  };
};
