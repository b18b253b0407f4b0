const form = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** A decimal number with its digits and exponent made unique: `12.50` and `1.25e1` are the same text. */
const canonical = (text: string): string => {
  const match = form.exec(text);
  if (match === null) return text;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  return `${sign}${significant}e${Number(exponent) - fraction.length + (digits.length - significant.length)}`;
};

/** Whether a double gives the number back as it was written, apart from its notation. */
export const survivesDouble = (text: string): boolean => {
  const value = Number(text);
  return Number.isFinite(value) && canonical(text) === canonical(String(value));
};

/** Whether writing the double out again gives the very text: `1.0`, `-0` and `1e2` come back otherwise. */
export const isAsWritten = (text: string): boolean => String(Number(text)) === text;
