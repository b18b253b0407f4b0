import { duration } from "../format.ts";

/** The visible part of a timeline, as fractions of its whole. */
export interface ZoomRange {
  readonly from: number;
  readonly to: number;
}

/** Place of a span on a timeline, as fractions of it. */
export interface SpanBar {
  readonly start: number;
  readonly width: number;
}

/** The whole timeline. */
export const wholeWindow: ZoomRange = { from: 0, to: 1 };

/** Min width of a window: a ten-thousandth of the timeline. */
const minWidth = 1e-4;

/** Returns a window of a width whose start is as near to `from` as the timeline allows. */
const windowOf = (from: number, width: number): ZoomRange => {
  const boundedWidth = Math.min(1, Math.max(minWidth, width));
  const start = Math.min(1 - boundedWidth, Math.max(0, from));
  return { from: start, to: start + boundedWidth };
};

/**
 * Scales a window.
 * @param factor width of the result as a multiple of the window's; below 1 zooms in.
 * @param anchor fraction of the window that keeps its place.
 */
export const zoomBy = ({ from, to }: ZoomRange, factor: number, anchor = 0.5): ZoomRange => {
  const width = Math.min(1, Math.max(minWidth, (to - from) * factor));
  return windowOf(from + (to - from - width) * anchor, width);
};

/** Moves a window by a fraction of its width. */
export const panBy = ({ from, to }: ZoomRange, share: number): ZoomRange =>
  windowOf(from + (to - from) * share, to - from);

/** Returns the window around a bar, with a tenth of its width on both sides; the bar is in the middle of the narrowest window. */
export const windowAround = ({ start, width }: SpanBar): ZoomRange => {
  const windowWidth = Math.max(minWidth, width * 1.2);
  return windowOf(start + (width - windowWidth) / 2, windowWidth);
};

/** Min width of a bar, as a fraction of the window. */
const minBarWidth = 0.004;

/** Returns where a bar lies in a window, as fractions of the window. A bar is at least 0.4 % of the window wide. */
export const barInWindow = ({ start, width }: SpanBar, { from, to }: ZoomRange): SpanBar => ({
  start: (start - from) / (to - from),
  width: Math.max(minBarWidth, width / (to - from)),
});

/** Formats a time of an axis like `duration`, with as many more digits as tell the times of a narrow window apart. @param range milliseconds of the window. */
export const axisDuration = (milliseconds: number, range: number): string => {
  const decimals = Math.ceil(-Math.log10(range / 10_000));
  // Decimals of a second in `duration`: a time of an hour or more is in minutes.
  const usualDecimals = milliseconds < 999.5 ? 3 : milliseconds < 59_950 ? 1 : milliseconds < 3_599_500 ? 0 : -2;
  if (decimals <= usualDecimals) return duration(milliseconds);
  if (milliseconds < 999.5) return `${milliseconds.toFixed(decimals - 3)} ms`;
  const digits = Math.max(0, decimals);
  const seconds = Number((milliseconds / 1_000).toFixed(digits));
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const hoursAndMinutes = `${hours > 0 ? `${hours} h ` : ""}${seconds < 60 ? "" : `${minutes} min `}`;
  return `${hoursAndMinutes}${(seconds % 60).toFixed(digits)} s`;
};
