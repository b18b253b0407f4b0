interface ScoreValue {
  readonly data_type: "NUMERIC" | "BOOLEAN" | "CATEGORICAL";
  readonly value: string | null;
  readonly applicable: boolean | null;
}

/** Color class of a score value: bad below 0.5, fair below 0.8; plain for categories and scores without a value. */
export const toneOf = ({ data_type: type, value, applicable }: ScoreValue): "plain" | "bad" | "fair" | "good" => {
  if (applicable === false || value === null || type === "CATEGORICAL") return "plain";
  if (type === "BOOLEAN") return value === "true" ? "good" : "bad";
  if (Number(value) < 0.5) return "bad";
  return Number(value) < 0.8 ? "fair" : "good";
};
