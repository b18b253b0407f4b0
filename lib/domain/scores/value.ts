import { decimalPattern } from "../decimal-pattern.ts";
import type { ScoreDataType } from "./score.ts";

const decimal = new RegExp(`^[+-]?${decimalPattern}$`, "u");

/** True if a text is a decimal number within the range of doubles. */
const isNumeric = (value: string): boolean => decimal.test(value) && Number.isFinite(Number(value));

/** Returns the error message for a value that does not fit its data type; null if it fits. */
export const scoreValueFlaw = (dataType: ScoreDataType, value: string): string | null => {
  switch (dataType) {
    case "NUMERIC":
      return isNumeric(value) ? null : "NUMERIC score must be a valid number";
    case "BOOLEAN":
      return /^(?:true|false)$/i.test(value) ? null : "BOOLEAN score must be 'true' or 'false'";
    case "CATEGORICAL":
      return null;
    default:
      return dataType satisfies never;
  }
};

/** Returns the stored form of a value: `true` and `false` in lower case, other values unchanged. */
export const normalizeValue = (dataType: ScoreDataType, value: string): string =>
  dataType === "BOOLEAN" ? value.toLowerCase() : value;
