import type { Json } from "../json.ts";
import type { LineColumns } from "../line-columns.ts";

/** Columns of items in CSV; instead of `metadata` there may be a column `metadata.<key>` for each key. */
export const itemColumns: LineColumns = {
  names: ["id", "input", "expected_output", "metadata", "source"],
  prefix: "metadata.",
  json: ["input", "expected_output", "metadata", "source", "metadata."],
};

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Returns the JSON that a cell stands for: the cell itself if it is JSON, else that of a text. `cellOf` is the inverse. */
export const cellJson = (cell: string): string => (isJson(cell) ? cell : JSON.stringify(cell));

/** Returns the cell of a value: a text as it is, unless it would be read as another value. */
export const cellOf = (value: Json): string =>
  typeof value === "string" && value !== "" && !isJson(value) ? value : JSON.stringify(value);
