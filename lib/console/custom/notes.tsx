import type { CustomMetricRemark } from "../../client/interface.ts";
import type { MetricForm, Problem } from "./form.ts";

/** What is said of a field. */
interface Note {
  readonly kind: "problem" | "remark";
  readonly message: string;
}

/** By the path of a field: `statements.0.text`. */
export type NotesByField = ReadonlyMap<string, readonly Note[]>;

const common = ["name", "target_type", "kind", "description", "threshold"];
const ofJudge = ["instructions", "scale", "statements", "rule", "otherwise", "evidence", "model", "examples"];

/** The paths that the editor has a field for. */
const fieldsOf = (form: MetricForm): ReadonlySet<string> => {
  const rows = (of: readonly unknown[], name: string, inner: readonly string[]): readonly string[] =>
    of.flatMap((_, at) => [`${name}.${at}`, ...inner.map((each) => `${name}.${at}.${each}`)]);
  if (form.kind !== "judge") return new Set([...common, form.kind]);
  return new Set([
    ...common,
    ...ofJudge,
    ...rows(form.scale, "scale", ["label", "meaning", "value"]),
    ...rows(form.statements, "statements", ["name", "text", "yes", "no"]),
    ...rows(form.examples, "examples", ["record", "answers", "reason"]),
  ]);
};

/** The nearest field that holds a path; empty: the metric as a whole. */
const nearest = (path: string, fields: ReadonlySet<string>): string => {
  const parts = path.split(".");
  while (parts.length > 0 && !fields.has(parts.join("."))) parts.pop();
  return parts.join(".");
};

/** What is said, each where its field stands. */
export const notesOf = (
  form: MetricForm,
  problems: readonly Problem[],
  remarks: readonly CustomMetricRemark[],
): NotesByField => {
  const fields = fieldsOf(form);
  const said = (field: string, kind: Note["kind"], message: string) => ({ at: nearest(field, fields), kind, message });
  const notes = [
    ...problems.map(({ field, message }) => said(field, "problem", message)),
    ...remarks.map(({ field, message }) => said(field.join("."), "remark", message)),
  ];
  return Map.groupBy(notes, ({ at }) => at);
};

const noteId = (path: string): string => `note-${path}`;

/** What is said of one field, by sign and word. */
export const Notes = ({ of, path }: { readonly of: NotesByField; readonly path: string }) => {
  const notes = of.get(path) ?? [];
  if (notes.length === 0) return null;
  return (
    <ul class="notes" id={noteId(path)}>
      {notes.map(({ kind, message }) => (
        <li class={kind === "problem" ? "bad" : "remark"} dir="auto">
          <span aria-hidden="true">{kind === "problem" ? "✕" : "!"}</span>{" "}
          <span class="unseen">{kind === "problem" ? "Wrong:" : "Remark:"}</span> {message}
        </li>
      ))}
    </ul>
  );
};

/** What stands at a field for those who do not see it. */
export const described = (of: NotesByField, path: string) => {
  const notes = of.get(path) ?? [];
  return {
    "aria-describedby": notes.length === 0 ? undefined : noteId(path),
    "aria-invalid": notes.some(({ kind }) => kind === "problem"),
  };
};
