import { ApiError } from "../../client/errors.ts";
import type { Problem } from "./problem.ts";

/** Returns the field errors of a 422 response; null for other errors. */
export const fieldProblems = (error: unknown): readonly Problem[] | null =>
  error instanceof ApiError && error.status === 422 && error.problems.length > 0
    ? error.problems.map(({ field, message }) => ({ field: field.split(" -> ").join("."), message }))
    : null;

/** Validation error ("problem") or lint warning ("remark") of a form field. */
export interface FieldNote {
  readonly kind: "problem" | "remark";
  readonly message: string;
}

/** Notes by field path, such as `statements.0.text`; the empty path is the whole form. */
export type NotesByField = ReadonlyMap<string, readonly FieldNote[]>;

const noteId = (path: string): string => `note-${path}`;

/** List of a field's errors and lint warnings. */
export const FieldNotes = ({ notes, path }: { readonly notes: NotesByField; readonly path: string }) => {
  const fieldNotes = notes.get(path) ?? [];
  if (fieldNotes.length === 0) return null;
  return (
    <ul class="notes" id={noteId(path)}>
      {fieldNotes.map(({ kind, message }) => (
        <li class={kind === "problem" ? "bad" : "remark"} dir="auto">
          <span aria-hidden="true">{kind === "problem" ? "✕" : "!"}</span>{" "}
          <span class="unseen">{kind === "problem" ? "Error:" : "Warning:"}</span> {message}
        </li>
      ))}
    </ul>
  );
};

/** Returns the ARIA attributes that link a field to its errors and warnings. */
export const noteAttributes = (notes: NotesByField, path: string) => {
  const fieldNotes = notes.get(path) ?? [];
  return {
    "aria-describedby": fieldNotes.length === 0 ? undefined : noteId(path),
    "aria-invalid": fieldNotes.some(({ kind }) => kind === "problem"),
  };
};
