/** Converts a resolved template value to text: a string unchanged, any other value as JSON. */
export const asText = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
