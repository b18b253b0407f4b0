/** The visible part of a timeline, as fractions of its whole. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** The whole timeline. */
export const wholeWindow: TimeWindow = { from: 0, to: 1 };

/** Min width of a window: a ten-thousandth of the timeline. */
const minWidth = 1e-4;

/** Returns a window of a width whose start is as near to `from` as the timeline allows. */
const windowOf = (from: number, width: number): TimeWindow => {
  const boundedWidth = Math.min(1, Math.max(minWidth, width));
  const start = Math.min(1 - boundedWidth, Math.max(0, from));
  return { from: start, to: start + boundedWidth };
};

/**
 * Scales a window.
 * @param factor width of the result as a multiple of the window's; below 1 zooms in.
 * @param anchor fraction of the window that keeps its place.
 */
export const zoomBy = ({ from, to }: TimeWindow, factor: number, anchor = 0.5): TimeWindow => {
  const width = Math.min(1, Math.max(minWidth, (to - from) * factor));
  return windowOf(from + (to - from - width) * anchor, width);
};

/** Moves a window by a fraction of its width. */
export const panBy = ({ from, to }: TimeWindow, share: number): TimeWindow =>
  windowOf(from + (to - from) * share, to - from);

/** Returns the window around a bar, with a tenth of its width on both sides. */
export const windowAround = (start: number, width: number): TimeWindow => windowOf(start - width / 10, width * 1.2);

/** Returns where a bar lies in a window, as fractions of the window. */
export const barInWindow = (
  { start, width }: { readonly start: number; readonly width: number },
  { from, to }: TimeWindow,
): { readonly start: number; readonly width: number } => ({
  start: (start - from) / (to - from),
  width: width / (to - from),
});
