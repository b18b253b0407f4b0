/** A number literal that goes out as it is written here: `NaN`, `1e400`. */
export class Literal {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What a body or a field of it is made of. */
export type Sendable =
  | null
  | boolean
  | number
  | string
  | Literal
  | readonly Sendable[]
  | { readonly [key: string]: Sendable };

/** JSON text, literals as they are written. */
export const written = (value: Sendable): string => {
  if (value instanceof Literal) return value.text;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: Sendable) => written(item)).join(",")}]`;
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}:${written(item)}`)
    .join(",")}}`;
};
