/**
 * The windows of a rule that were alerts when they were evaluated, so that none raises a second one when its sums change: bit n
 * is the window that ended n lengths before the last evaluated one.
 */
export type AlertWindows = bigint;

/** Windows that are remembered: those of five minutes in the eight days for which sums are kept. */
const rememberedWindows = 2_304;

/** All windows that are remembered but the last one: of a state that an earlier version has stored, any may have been an alert. */
export const unknownWindows: AlertWindows = BigInt.asUintN(rememberedWindows, -2n);

/** True if the window that ended `age` lengths before the last evaluated one was an alert. A later window has a negative age. */
export const wasAlert = (windows: AlertWindows, age: number): boolean =>
  age >= 0 && ((windows >> BigInt(age)) & 1n) === 1n;

/**
 * Returns the windows after another evaluation.
 *
 * @param age lengths by which the window ended before the last evaluated one; negative for a later window, which becomes the
 *   last, and a fraction if windows have begun anew: those before are forgotten.
 */
export const withWindow = (windows: AlertWindows, age: number, isAlert: boolean): AlertWindows => {
  const shiftedWindows = age >= 0 ? windows : Number.isInteger(age) ? windows << BigInt(-age) : 0n;
  return BigInt.asUintN(
    rememberedWindows,
    isAlert ? shiftedWindows | (1n << BigInt(Math.max(0, age))) : shiftedWindows,
  );
};
