import type { ComponentChildren } from "preact";
import { FieldNotes, type NotesByField } from "./field-notes.tsx";
import { textFields, type TextField } from "./text-field.tsx";

/** Section of the metric editor for a list: rows can be added up to a limit, and removed. */
export const ListFields = <Row extends object>({
  title,
  hint,
  path,
  rows,
  maxRows,
  onChange,
  emptyRow,
  rowName,
  notes,
  children,
}: {
  readonly title: string;
  readonly hint: string;
  /** Path of the list, such as `statements`. */
  readonly path: string;
  readonly rows: readonly Row[];
  readonly maxRows: number;
  readonly onChange: (rows: readonly Row[]) => void;
  /** Returns a new row. */
  readonly emptyRow: () => Row;
  /** Noun for a row, such as `statement`. */
  readonly rowName: string;
  readonly notes: NotesByField;
  readonly children: (
    field: TextField<Row>,
    row: Row,
    at: number,
    update: (part: Partial<Row>) => void,
  ) => ComponentChildren;
}) => {
  const update = (at: number, part: object): void =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...part } : row)));
  return (
    <section class="part" aria-label={title}>
      <h2>{title}</h2>
      <p class="faint">{hint}</p>
      <FieldNotes notes={notes} path={path} />
      {rows.map((row, at) => (
        <div class="part-row" role="group" aria-label={`${rowName} ${at + 1}`}>
          {children(
            textFields(row, (name, text) => update(at, { [name]: text }), notes, `${path}.${at}.`),
            row,
            at,
            (part) => update(at, part),
          )}
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${rowName} ${at + 1}`}
            onClick={() => onChange(rows.filter((_, index) => index !== at))}
          >
            Remove
          </button>
          <FieldNotes notes={notes} path={`${path}.${at}`} />
        </div>
      ))}
      {rows.length < maxRows && (
        <p>
          <button type="button" onClick={() => onChange([...rows, emptyRow()])}>
            + {rowName}
          </button>
        </p>
      )}
    </section>
  );
};
