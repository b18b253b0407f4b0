import { AsyncLocalStorage } from "node:async_hooks";

/** Name of the errors of AWS calls that the deadline of their work has ended. The SDK does not retry them. */
export const deadlineErrorName = "DeadlineExceeded";

/** Creates the error of an AWS call whose work has no time left. */
export const deadlineError = (): Error =>
  Object.assign(new Error("The work of this call has no time left."), { name: deadlineErrorName });

const deadlines = new AsyncLocalStorage<number>();

/** Runs `work`, whose AWS calls end at `at`, epoch milliseconds, with a deadline error; later calls are not sent. */
export const withDeadline = <Result>(at: number, work: () => Result): Result => deadlines.run(at, work);

/** Returns the milliseconds until the deadline of the current work; infinite without one. */
export const timeLeft = (): number => (deadlines.getStore() ?? Number.POSITIVE_INFINITY) - Date.now();
