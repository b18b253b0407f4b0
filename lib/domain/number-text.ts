const decimalNumber = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Returns a unique form of a decimal number: `12.50` and `1.25e1` give the same text. */
const canonical = (text: string): string => {
  const match = decimalNumber.exec(text);
  if (match === null) return text;
  const [, sign = "", integerDigits = "", fraction = "", exponent = "0"] = match;
  const digits = `${integerDigits}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  return `${sign}${significant}e${Number(exponent) - fraction.length + (digits.length - significant.length)}`;
};

/** True if a decimal number keeps its value when it is converted to a double and back. */
export const fitsDouble = (text: string): boolean => {
  const value = Number(text);
  return Number.isFinite(value) && canonical(text) === canonical(String(value));
};

/** True if a number is written exactly as JavaScript prints it: false for `1.0`, `-0` and `1e2`. */
export const isShortestForm = (text: string): boolean => String(Number(text)) === text;
