/** A row of a file: its cells by the names of their columns. */
export type FileRow = Readonly<Record<string, unknown>>;

export type FileFormat = "csv" | "ndjson";

export const mediaTypes: Readonly<Record<FileFormat, string>> = { csv: "text/csv", ndjson: "application/x-ndjson" };

/** Name of the last column, for fields that the rows of the first part lack. */
const restColumn = "other_fields";

/**
 * Returns a cell of CSV (RFC 4180). A text that a spreadsheet would run as a formula begins with an apostrophe, unless it is a number:
 * inputs and names of traces come from anybody.
 */
const cellText = (value: unknown): string => {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const isNumber = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/iu.test(text);
  const safe = !isNumber && /^[\s\0]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/u.test(text) ? `'${text}` : text;
  return /[",\r\n]|^\s|\s$/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

const line = (cells: readonly unknown[]): string => `${cells.map(cellText).join(",")}\r\n`;

/** Returns a function that writes the parts of a file one after the other; the first one decides the columns of CSV, and begins with their names. */
export const rowWriter = (format: FileFormat): ((rows: readonly FileRow[]) => string) => {
  if (format === "ndjson") return (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  let columns: readonly string[] | null = null;
  return (rows) => {
    const isFirst = columns === null;
    const names = (columns ??= [...new Set(rows.flatMap(Object.keys))]);
    const lines = rows.map((row) => {
      const rest = Object.entries(row).filter(([name]) => !names.includes(name));
      return line([...names.map((name) => row[name]), rest.length === 0 ? null : Object.fromEntries(rest)]);
    });
    return (isFirst ? `\uFEFF${line([...names, restColumn])}` : "") + lines.join("");
  };
};
