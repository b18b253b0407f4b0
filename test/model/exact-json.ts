/** A number that a double would change, as it was written. */
export class WrittenNumber {
  readonly digits: string;
  constructor(digits: string) {
    this.digits = digits;
  }
}

/** JSON in which no number has been changed. */
export type Value =
  | null
  | boolean
  | number
  | string
  | WrittenNumber
  | readonly Value[]
  | { readonly [key: string]: Value };
export type Fields = { readonly [key: string]: Value };

/** A decimal's digits without zeros at either end, and the power of ten behind them. */
const decimal = (text: string): string => {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
};

type Source = { readonly source?: string };

/** Parses JSON; a number that a double would change comes out as it was written. */
export const parseExact = (text: string): Value => {
  const value: Value = JSON.parse(text, (_key, value: unknown, context?: Source) => {
    if (typeof value !== "number" || context?.source === undefined) return value;
    if (value === 0) return 0;
    return Number.isFinite(value) && decimal(String(value)) === decimal(context.source)
      ? value
      : new WrittenNumber(decimal(context.source));
  });
  return value;
};
