/** A number that a double cannot represent exactly, as its original text. */
export class WrittenNumber {
  readonly digits: string;
  constructor(digits: string) {
    this.digits = digits;
  }
}

/** A parsed JSON value with exact numbers. */
export type Value =
  | null
  | boolean
  | number
  | string
  | WrittenNumber
  | readonly Value[]
  | { readonly [key: string]: Value };
export type Fields = { readonly [key: string]: Value };

/** Normalizes a decimal number to its significant digits and exponent. */
const decimal = (text: string): string => {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
};

type Source = { readonly source?: string };

/** Parses JSON; a number that a double cannot represent is kept as text. */
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
