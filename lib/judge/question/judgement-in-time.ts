import { untilDeadline, type CallTiming } from "./call-timing.ts";
import type { JudgementContext, ModelCallBudget } from "../spending/call-budget.ts";
import { noExpense, type Expense } from "../spending/expense.ts";

/** Milliseconds by which calls must end before the verdict's deadline, so that the time-out of a call can still be reported. */
const deadlineMargin = 250;

/**
 * Runs a judgement until its deadline and closes its budget when it ends.
 *
 * @param deadline latest time of the result, epoch milliseconds.
 * @param onTimeout computes the result of a judgement without one in time from its expense: calls in progress count as unreported.
 */
export const judgeInTime = async <Result>(
  timing: CallTiming,
  deadline: number,
  budget: JudgementContext["budget"],
  judge: (context: JudgementContext) => Promise<Result>,
  onTimeout: (expense: Expense) => Result,
): Promise<Result> => {
  let callBudget: ModelCallBudget | null = null;
  const onReserved = (reservedBudget: ModelCallBudget): void => {
    callBudget = reservedBudget;
  };
  const budgetInUse = (): ModelCallBudget | null => callBudget;
  const judgeAndClose = async (): Promise<Result> => {
    try {
      return await judge({ budget, deadline: deadline - deadlineMargin, onReserved });
    } finally {
      budgetInUse()?.close();
    }
  };
  const result = await untilDeadline(timing, deadline, judgeAndClose());
  if (result !== null) return result;
  const spent = budgetInUse()?.spent() ?? noExpense;
  return onTimeout({ ...spent, unreportedCost: spent.unreportedCost + (budgetInUse()?.abandon() ?? 0) });
};
