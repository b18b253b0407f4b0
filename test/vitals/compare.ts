import type { Vital } from "./vital.ts";

/** Rows that depend on the machine and its load. */
const isTime = (name: string): boolean => name.endsWith(", CPU") || name.includes("`npm test`");

/** Share by which a figure may differ from the page: background requests fall into one measurement or the next. */
const usualTolerance = 0.1;
/** The same for small figures, in their unit. */
const leastDifference = 0.11;
/**
 * The same for figures of stream workers, who get as many items in a batch as arrive while they are busy: on a loaded machine a call's
 * share of them was 2.1 to 5.3 requests.
 */
const batchDifference = 3.5;

const number = /\d[\d,]*(?:\.\d+)?/gu;

const numbersIn = (figure: string): readonly number[] =>
  (figure.match(number) ?? []).map((text) => Number(text.replaceAll(",", "")));

/** True if two figures have the same words, and numbers that differ by at most the tolerance. */
const isSame = (a: string, b: string, tolerance: number, least: number): boolean => {
  if (a.replaceAll(number, "#") !== b.replaceAll(number, "#")) return false;
  const others = numbersIn(b);
  return numbersIn(a).every((value, at) => {
    const difference = Math.abs(value - (others[at] ?? Number.NaN));
    return difference <= Math.max(tolerance * Math.abs(value), least);
  });
};

/** Reads a line of a table: the first cell, and the others as its figure. */
const cellsOf = (line: string): Vital => {
  const [name = "", ...figures] = line.slice(2, -2).split(" | ");
  return { name, figure: figures.join(" | ") };
};

/** End of the name of a row about stream workers; the row of the rest of the name is a sum with it. */
const behind = ": behind it";

/** End of the name of a row about scores of a run, whose slices and records come in batches too. */
const ofRun = " in a run";

/** Rows of a table by name, without its heading; the second of a name has a number. */
const rowsOf = (table: string): ReadonlyMap<string, string> => {
  const rows = new Map<string, string>();
  for (const line of table
    .trim()
    .split("\n")
    .filter((text) => text.startsWith("| ") && !/^[-| ]+$/u.test(text))) {
    const { name, figure } = cellsOf(line);
    if (!isTime(name)) rows.set(rows.has(name) ? `${name} (2)` : name, figure);
  }
  return rows;
};

/**
 * Compares the table of a page with measured figures.
 *
 * @param tolerance share by which numbers may differ.
 * @returns a sentence for each row that is old, missing or no longer measured.
 */
export const oldRows = (saved: string, measured: string, tolerance = usualTolerance): readonly string[] => {
  const [page, current] = [rowsOf(saved), rowsOf(measured)];
  return [
    ...Array.from(page).flatMap(([name, figure]) => {
      const now = current.get(name);
      if (now === undefined) return [`${name}: no longer measured`];
      const isBatch = name.endsWith(behind) || page.has(`${name}${behind}`) || name.endsWith(ofRun);
      const isTrue = isSame(figure, now, tolerance, isBatch ? batchDifference : leastDifference);
      return isTrue ? [] : [`${name}: ${figure} on the page, now ${now}`];
    }),
    ...[...current.keys()].filter((name) => !page.has(name)).map((name) => `${name}: missing on the page`),
  ];
};
