type Fields = Readonly<Record<string, unknown>>;

const hasFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;

/** Parses untrusted JSON; undefined for invalid JSON. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Returns the fields of an untrusted value; none if it is not an object. */
export const fieldsOf = (value: unknown): Fields => (hasFields(value) ? value : {});

/** Returns an untrusted count; 0 for anything but a positive safe integer. */
export const countOf = (value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;

/** Returns an untrusted array; empty for other values. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
