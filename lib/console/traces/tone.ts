interface Scored {
  readonly data_type: "NUMERIC" | "BOOLEAN" | "CATEGORICAL";
  readonly value: string | null;
  readonly applicable: boolean | null;
}

/** How a value reads at a glance; its number and its name stand beside the colour. */
export const toneOf = ({ data_type: type, value, applicable }: Scored): "plain" | "bad" | "fair" | "good" => {
  if (applicable === false || value === null || type === "CATEGORICAL") return "plain";
  if (type === "BOOLEAN") return value === "true" ? "good" : "bad";
  if (Number(value) < 0.5) return "bad";
  return Number(value) < 0.8 ? "fair" : "good";
};
