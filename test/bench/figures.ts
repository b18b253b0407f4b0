import { median } from "./median.ts";

/** What one thing costs: capacity units or another figure of each time it was done, and how long it took. */
export interface Figure {
  readonly name: string;
  readonly values: readonly number[];
  /** Milliseconds. */
  readonly times: readonly number[];
  /** What it should cost at most. */
  readonly aim?: number;
}

const shown = (number: number): string => number.toFixed(number < 100 ? 2 : 0);

const spread = (numbers: readonly number[], middle: (numbers: readonly number[]) => number): string =>
  numbers.length === 0
    ? ""
    : `${shown(middle(numbers))} (${shown(Math.min(...numbers))} to ${shown(Math.max(...numbers))})`;

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

/** Figures as a table in Markdown's form: the mean of what is paid for, the median of times, each with the least and the most. */
export const figureTable = (unit: string, figures: readonly Figure[]): string => {
  const head = ["", "n", unit, "aim", "ms"];
  const lines = figures.map(({ name, values, times, aim }) => [
    name,
    String(values.length),
    spread(values, mean),
    String(aim ?? ""),
    spread(times, median),
  ]);
  const widths = head.map((title, column) => Math.max(title.length, ...lines.map((line) => line[column]?.length ?? 0)));
  const row = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [row(head), row(widths.map((width) => "-".repeat(width))), ...lines.map(row)].join("\n");
};

/** Does something to each item. @param spent what it cost since it was asked last. */
export const measured = async <Item>(
  name: string,
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
  spent: () => number,
  aim?: number,
): Promise<Figure> => {
  const [values, times]: [number[], number[]] = [[], []];
  for (const item of items) {
    spent();
    const from = performance.now();
    await work(item);
    times.push(performance.now() - from);
    values.push(spent());
  }
  return { name, values, times, ...(aim === undefined ? {} : { aim }) };
};
