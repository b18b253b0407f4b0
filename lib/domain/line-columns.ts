/** Columns of items in CSV. */
export interface LineColumns {
  readonly names: readonly string[];
  /** Beginning of the names of columns with one key each of the object in the column of the name before the dot. */
  readonly prefix: string;
  /** Columns, or the prefix of some, whose cells are JSON if they can be; the others are texts. */
  readonly json: readonly string[];
}

/** True if a column holds JSON rather than a text. */
export const isJsonColumn = ({ prefix, json }: LineColumns, name: string): boolean =>
  json.includes(name.startsWith(prefix) ? prefix : name);
