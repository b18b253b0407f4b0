/** Value of a parameter `?` of a statement; a whole number is an integer, any other number a double. */
export type SqlValue = string | number | bigint | boolean | null;

/** A statement, or a part of one, with the values of its parameters in their order. */
export class Sql {
  readonly text: string;
  readonly values: readonly SqlValue[];

  constructor(text: string, values: readonly SqlValue[] = []) {
    this.text = text;
    this.values = values;
  }
}

/**
 * Builds SQL from a template: an interpolated part is inserted with its parameters, any other value becomes a parameter.
 *
 * @example
 * const byName = sql`name = ${name}`; // name = ?
 * const query = sql`SELECT count(*) AS total FROM ${table} WHERE ${byName}`;
 */
export const sql = (texts: TemplateStringsArray, ...values: readonly (Sql | SqlValue)[]): Sql => {
  const parts = values.map((value) => (value instanceof Sql ? value : new Sql("?", [value])));
  return new Sql(
    texts.reduce((text, next, index) => `${text}${parts[index - 1]?.text ?? ""}${next}`),
    parts.flatMap((part) => part.values),
  );
};

/** Joins parts of SQL. @param separator SQL between two parts. */
export const joinSql = (parts: readonly Sql[], separator: string): Sql =>
  new Sql(
    parts.map(({ text }) => text).join(separator),
    parts.flatMap(({ values }) => values),
  );

/** Returns a text as an SQL literal, for places that take no parameter. */
export const sqlText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
