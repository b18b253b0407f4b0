/** Formats of numbers, costs, durations and times for display. */

const integer = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** Formats a count: `1,234`, from 10,000 compact: `12.3K`. */
export const count = (value: number): string => (value < 10_000 ? integer.format(value) : compact.format(value));

/** Formats a count with its noun: `1 trace`, `2 traces`. */
export const plural = (value: number, word: string): string => `${count(value)} ${word}${value === 1 ? "" : "s"}`;

/** Formats a part of a whole in percent: `20.8 %`. */
export const percent = (part: number, whole: number): string =>
  `${whole === 0 ? 0 : ((part / whole) * 100).toFixed(1)} %`;

/** Formats US dollars; amounts below one cent keep two significant digits. */
export const dollars = (value: number): string => {
  if (value === 0) return "$0";
  if (value < 0.01) return value < 1e-6 ? "<$0.000001" : `$${value.toPrecision(2)}`;
  return `$${value < 100 ? value.toFixed(2) : integer.format(value)}`;
};

/** Formats milliseconds: `120 ms`, `1.5 s`, `2 min 3 s`, `1 h 5 min`; a dash for null. */
export const duration = (milliseconds: number | null): string => {
  if (milliseconds === null) return "–";
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  const seconds = Math.round(milliseconds / 1_000);
  if (milliseconds < 59_950) return `${(milliseconds / 1_000).toFixed(1)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

/** Digits after the point of a step of an axis, whose multiples need no more. */
const digitsOf = (step: number): number => {
  const digits = Array.from({ length: 12 }, (_, each) => each);
  return digits.find((each) => Math.abs(step - Number(step.toFixed(each))) <= step * 1e-6) ?? digits.length;
};

/** Formats a value at an axis: amounts of money and durations below a minute with the digits of the axis' step, others as figures are. */
export const axisText = (format: (value: number) => string, value: number, step: number): string => {
  if (format === dollars) return `$${value.toFixed(digitsOf(step))}`;
  if (format !== duration || value >= 60_000) return format(value);
  return step < 100 ? `${Math.round(value)} ms` : `${(value / 1_000).toFixed(digitsOf(step / 1_000))} s`;
};

const sameDay = new Intl.DateTimeFormat("en", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});
const thisYear = new Intl.DateTimeFormat("en", {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});
const anyYear = new Intl.DateTimeFormat("en", {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

/** Formats an instant in the local time zone: time only today, without the year in this year. */
export const shortTime = (instant: string | number, now = new Date()): string => {
  const then = new Date(instant);
  if (then.toDateString() === now.toDateString()) return sameDay.format(then);
  return (then.getFullYear() === now.getFullYear() ? thisYear : anyYear).format(then);
};

/** Formats an instant in UTC with milliseconds. */
export const utcTime = (instant: string): string =>
  `${new Date(instant).toISOString().replace("T", " ").replace("Z", "")} UTC`;

/** Truncates a text to a number of code points, with an ellipsis. */
export const truncateWithEllipsis = (text: string, maxLength: number): string => {
  const characters = Array.from(text.slice(0, maxLength * 2 + 2));
  return characters.length <= maxLength ? text : `${characters.slice(0, maxLength - 1).join("")}…`;
};
