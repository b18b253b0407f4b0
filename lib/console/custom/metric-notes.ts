import type { CustomMetricLintWarning } from "../../client/interface.ts";
import type { FieldNote, NotesByField } from "../parts/field-notes.tsx";
import type { Problem } from "../parts/problem.ts";
import type { MetricForm } from "./form.ts";

const commonFields = ["name", "target_type", "kind", "description", "threshold"];
const judgeFields = ["instructions", "scale", "statements", "rule", "otherwise", "evidence", "model", "examples"];

/** Returns the paths of all fields that the editor shows. */
const fieldsOf = (form: MetricForm): ReadonlySet<string> => {
  const rowPaths = (rows: readonly unknown[], name: string, inner: readonly string[]): readonly string[] =>
    rows.flatMap((_, at) => [`${name}.${at}`, ...inner.map((each) => `${name}.${at}.${each}`)]);
  if (form.kind !== "judge") return new Set([...commonFields, form.kind]);
  return new Set([
    ...commonFields,
    ...judgeFields,
    ...rowPaths(form.scale, "scale", ["label", "meaning", "value"]),
    ...rowPaths(form.statements, "statements", ["name", "text", "yes", "no"]),
    ...rowPaths(form.examples, "examples", ["record", "answers", "reason"]),
  ]);
};

/** Returns the innermost displayed field that contains a path; empty for the whole form. */
const displayedField = (path: string, fields: ReadonlySet<string>): string => {
  const parts = path.split(".");
  while (parts.length > 0 && !fields.has(parts.join("."))) parts.pop();
  return parts.join(".");
};

/** Groups errors and lint warnings by the field that displays them. */
export const groupNotes = (
  form: MetricForm,
  problems: readonly Problem[],
  remarks: readonly CustomMetricLintWarning[],
): NotesByField => {
  const fields = fieldsOf(form);
  const noteAt = (field: string, kind: FieldNote["kind"], message: string) => ({
    at: displayedField(field, fields),
    kind,
    message,
  });
  const notes = [
    ...problems.map(({ field, message }) => noteAt(field, "problem", message)),
    ...remarks.map(({ field, message }) => noteAt(field.join("."), "remark", message)),
  ];
  return Map.groupBy(notes, ({ at }) => at);
};

/** Matches the paths of fields that the editor shows in its disclosure only. */
const advancedPath =
  /^(?:threshold|scale|evidence|model|examples|rule|otherwise)\b|^statements\.\d+\.(?:name|yes|no)$/u;

/** Counts the errors and the lint warnings of the fields in the disclosure. */
export const advancedNoteCounts = (notes: NotesByField): { readonly problems: number; readonly remarks: number } => {
  const advancedNotes = [...notes].flatMap(([path, fieldNotes]) => (advancedPath.test(path) ? fieldNotes : []));
  const problems = advancedNotes.filter(({ kind }) => kind === "problem").length;
  return { problems, remarks: advancedNotes.length - problems };
};
