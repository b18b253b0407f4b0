/** A window that has had records: its bounds in epoch milliseconds and what the function returned last. */
export interface OpenWindow {
  readonly start: number;
  readonly end: number;
  readonly state: unknown;
}

/** The window that an instant falls into. */
export const windowAt = (at: number, seconds: number): OpenWindow => {
  const length = seconds * 1_000;
  const start = Math.floor(at / length) * length;
  return { start, end: start + length, state: {} };
};

/** Lambda ends a window early when its state is over 1 MB. */
export const isStateTooLarge = (state: unknown): boolean =>
  Buffer.byteLength(JSON.stringify(state) ?? "") > 1024 * 1024;

/** A stream's records lag behind the clock by up to this much: a window is not closed before. */
const graceMs = 1_000;

/** Whether no more records can come for a window, once everything up to now has been read. */
export const isOver = ({ end }: OpenWindow, now: number): boolean => now > end + graceMs;

/** The members that a mapping with windows adds to the event. */
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
