/** Numbers and times as people read them. */

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export const count = (value: number): string => (value < 10_000 ? whole.format(value) : compact.format(value));

export const plural = (value: number, word: string): string => `${count(value)} ${word}${value === 1 ? "" : "s"}`;

/** US dollars; what is less than a cent keeps two digits that count. */
export const dollars = (value: number): string => {
  if (value === 0) return "$0";
  if (value < 0.01) return `$${value.toPrecision(2)}`;
  return `$${value.toFixed(value < 100 ? 2 : 0)}`;
};

export const duration = (milliseconds: number | null): string => {
  if (milliseconds === null) return "–";
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.round((milliseconds % 60_000) / 1_000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

const sameDay = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
const thisYear = new Intl.DateTimeFormat("en", {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hour12: false,
});
const anyYear = new Intl.DateTimeFormat("en", {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hour12: false,
});

/** An instant in the reader's zone, as short as it can be told apart. */
export const when = (instant: string, now = new Date()): string => {
  const then = new Date(instant);
  if (then.toDateString() === now.toDateString()) return sameDay.format(then);
  return (then.getFullYear() === now.getFullYear() ? thisYear : anyYear).format(then);
};

/** The same instant in UTC, whole. */
export const utc = (instant: string): string =>
  `${new Date(instant).toISOString().replace("T", " ").replace("Z", "")} UTC`;

/** Text cut to a length, at the end of a character. */
export const short = (text: string, most: number): string => {
  const characters = Array.from(text.slice(0, most * 2 + 2));
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`;
};
