import type { LineType } from "../../contract/datasets/line-types.ts";
import { csvLine } from "../../domain/csv.ts";
import { labelItemId, type PersonLabels, type LabelItem, type LabelSet } from "../../domain/labels/label-set.ts";
import { cannotTell } from "../../domain/labels/scale.ts";
import { labelColumns } from "../../domain/labels/columns.ts";

/** Labels of an item, by all people. */
interface LabelledPlace {
  readonly place: number;
  readonly item: LabelItem;
  readonly labels: readonly PersonLabels[];
}

/** Beginning of a text of labels, and the lines of each item. */
interface LabelText {
  readonly begin: string;
  readonly lines: (item: LabelledPlace) => string;
}

/** Returns the texts of a set's labels by content type: a line for each person and item, as they can be sent again. */
export const labelTexts = ({ id, metrics }: LabelSet): Readonly<Record<LineType, LabelText>> => {
  const names = metrics.map(({ name }) => name);
  const sentForm = (place: number, { labeller, values, cannotTell: untold, note }: PersonLabels) => ({
    item_id: labelItemId(id, place),
    // A person's labels that are sent again are an upload: the name says whose they were.
    labeller: labeller.type === "UPLOAD" ? labeller.id : `${labeller.type}:${labeller.id}`,
    labels: { ...values, ...Object.fromEntries(untold.map((name) => [name, cannotTell])) },
    note,
  });
  const cellsOf = ({ item_id, labeller, labels, note }: ReturnType<typeof sentForm>): readonly string[] => {
    const valueOf = new Map(Object.entries(labels));
    return [item_id, labeller, ...names.map((name) => valueOf.get(name) ?? ""), note ?? ""];
  };
  const text = (line: (sent: ReturnType<typeof sentForm>) => string) => (item: LabelledPlace) =>
    item.labels.map((labels) => line(sentForm(item.place, labels))).join("");
  return {
    "application/x-ndjson": { begin: "", lines: text((sent) => `${JSON.stringify(sent)}\n`) },
    "text/csv": {
      begin: csvLine(["item_id", "labeller", ...names.map((name) => labelColumns.prefix + name), "note"]),
      lines: text((sent) => csvLine(cellsOf(sent))),
    },
  };
};
