/** A number literal that is sent unchanged, such as `NaN` or `1e400`. */
export class Literal {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A JSON value that may contain number literals. */
export type Sendable =
  | null
  | boolean
  | number
  | string
  | Literal
  | readonly Sendable[]
  | { readonly [key: string]: Sendable };

/** JSON text with unchanged literals. */
export const jsonText = (value: Sendable): string => {
  if (value instanceof Literal) return value.text;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: Sendable) => jsonText(item)).join(",")}]`;
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}:${jsonText(item)}`)
    .join(",")}}`;
};
