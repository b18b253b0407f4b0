type UnknownObject = Readonly<Record<string, unknown>>;

/** True if a value is an object other than an array. */
export const isPlainObject = (value: unknown): value is UnknownObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
