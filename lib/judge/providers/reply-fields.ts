type Fields = Readonly<Record<string, unknown>>;

const hasFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;

/** A stranger's JSON; undefined for what is none. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The fields of a stranger's reply; none when it is no object. */
export const fieldsOf = (value: unknown): Fields => (hasFields(value) ? value : {});

/** A count in a stranger's reply; 0 for anything that is no count. */
export const countOf = (value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;

/** A list in a stranger's reply; empty when it is none. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
