/** A tumbling window with records: its bounds in epoch milliseconds, and the function's last returned state. */
export interface OpenWindow {
  readonly start: number;
  readonly end: number;
  readonly state: unknown;
}

/** Returns the window that contains an instant. @param at epoch milliseconds @param seconds length of a window */
export const windowAt = (at: number, seconds: number): OpenWindow => {
  const length = seconds * 1_000;
  const start = Math.floor(at / length) * length;
  return { start, end: start + length, state: {} };
};

/** True if a state exceeds 1 MB, when Lambda ends the window early. */
export const isStateTooLarge = (state: unknown): boolean =>
  Buffer.byteLength(JSON.stringify(state) ?? "") > 1024 * 1024;

/** Milliseconds after the end of a window before it is closed, because a stream's records arrive with delay. */
const graceMs = 1_000;

/** True if no more records can arrive for a window, provided that all records so far have been read. */
export const isOver = ({ end }: OpenWindow, now: number): boolean => now > end + graceMs;

/** Builds the fields of the event that describe the tumbling window. */
export const windowEvent = (
  { start, end, state }: OpenWindow,
  shardId: string,
  eventSourceARN: string,
  closing: { readonly final: boolean; readonly early: boolean },
) => ({
  window: { start: new Date(start).toISOString(), end: new Date(end).toISOString() },
  state,
  shardId,
  eventSourceARN,
  isFinalInvokeForWindow: closing.final,
  isWindowTerminatedEarly: closing.early,
});
