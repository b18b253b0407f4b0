import { median } from "./median.ts";

/** Measurements of one operation: capacity units or another quantity, and durations. */
export interface Figure {
  readonly name: string;
  readonly values: readonly number[];
  /** Durations in milliseconds. */
  readonly times: readonly number[];
  /** Target maximum. */
  readonly aim?: number;
}

const formatNumber = (number: number): string => number.toFixed(number < 100 ? 2 : 0);

const spread = (numbers: readonly number[], middle: (numbers: readonly number[]) => number): string =>
  numbers.length === 0
    ? ""
    : `${formatNumber(middle(numbers))} (${formatNumber(Math.min(...numbers))} to ${formatNumber(Math.max(...numbers))})`;

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

/** Figures as a Markdown table: means of quantities, medians of durations, each with minimum and maximum. */
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

/** Runs work for each item and measures it. @param spent returns the quantity consumed since its last call. */
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
