/** A resolved value of the template as text: as it is when it is plain, else as JSON. */
export const asText = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
