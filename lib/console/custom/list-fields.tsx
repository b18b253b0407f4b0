import type { ComponentChildren } from "preact";
import { Notes, type NotesByField } from "./notes.tsx";

/** A part of the metric that has any number of rows: each can be removed, and one more added. */
export const ListFields = <Row,>({
  title,
  hint,
  path,
  rows,
  most,
  change,
  blank,
  word,
  notes,
  children,
}: {
  readonly title: string;
  readonly hint: string;
  /** `statements` */
  readonly path: string;
  readonly rows: readonly Row[];
  readonly most: number;
  readonly change: (rows: readonly Row[]) => void;
  /** What a new row begins with. */
  readonly blank: () => Row;
  /** What a row is called: `statement`. */
  readonly word: string;
  readonly notes: NotesByField;
  readonly children: (row: Row, at: number, put: (part: Partial<Row>) => void) => ComponentChildren;
}) => (
  <section class="part" aria-label={title}>
    <h2>{title}</h2>
    <p class="faint">{hint}</p>
    <Notes of={notes} path={path} />
    {rows.map((row, at) => (
      <div class="part-row" role="group" aria-label={`${word} ${at + 1}`}>
        {children(row, at, (part) => change(rows.map((each, place) => (place === at ? { ...each, ...part } : each))))}
        <button
          type="button"
          class="quiet"
          aria-label={`Remove ${word} ${at + 1}`}
          onClick={() => change(rows.filter((_, place) => place !== at))}
        >
          Remove
        </button>
        <Notes of={notes} path={`${path}.${at}`} />
      </div>
    ))}
    {rows.length < most && (
      <p>
        <button type="button" onClick={() => change([...rows, blank()])}>
          + {word}
        </button>
      </p>
    )}
  </section>
);
