import type { LineColumns } from "../line-columns.ts";

/** Columns of uploaded labels in CSV, with a column `labels.<metric>` for each metric. */
export const labelColumns: LineColumns = {
  names: ["item_id", "trace_id", "labeller", "labels", "note"],
  prefix: "labels.",
  json: ["labels"],
};
