import { statementNames, type MetricForm, type StatementFields } from "./form.ts";
import { ListFields } from "../parts/list-fields.tsx";
import type { NotesByField } from "../parts/field-notes.tsx";
import { textFields } from "../parts/text-field.tsx";
import { Select } from "../parts/controls.tsx";

interface PartProps {
  readonly form: MetricForm;
  readonly onChange: (part: Partial<MetricForm>) => void;
  readonly notes: NotesByField;
}

/** Updates the statements and, if one was renamed, its name in the answers of the examples. */
const renameStatement = (form: MetricForm, statements: readonly StatementFields[]): Partial<MetricForm> => {
  if (statements.length !== form.statements.length) return { statements };
  const [before, after] = [statementNames(form), statementNames({ ...form, statements })];
  const at = after.findIndex((name, index) => name !== before[index]);
  const [oldName, newName] = [before[at], after[at]];
  if (oldName === undefined || newName === undefined) return { statements };
  const examples = form.examples.map((example) => ({
    ...example,
    answers: Object.fromEntries(
      Object.entries(example.answers).map(([name, answer]) => [name === oldName ? newName : name, answer]),
    ),
  }));
  return { statements, examples };
};

/** Statements of a metric: their questions and, in a detailed form, names and meanings of the answers. */
const Statements = ({ form, onChange, notes, isDetailed }: PartProps & { readonly isDetailed: boolean }) => (
  <ListFields
    title="Statements"
    hint="Yes/no questions for the judge, each answered with evidence. By default one per level except the lowest."
    path="statements"
    rows={form.statements}
    maxRows={10}
    onChange={(statements: readonly StatementFields[]) => onChange(renameStatement(form, statements))}
    emptyRow={() => ({ name: "", text: "", yes: "", no: "", expected: "yes" as const })}
    rowName="statement"
    notes={notes}
  >
    {(field, statement, at, update) => (
      <>
        {isDetailed && field("name", "Name", { hint: `statement_${at + 1}`, isShort: true })}
        {field("text", "Question")}
        <div class="field brief">
          <label>
            Expected answer
            <Select
              value={statement.expected}
              options={{ yes: "yes", no: "no" }}
              onSelect={(expected) => update({ expected })}
            />
          </label>
        </div>
        {isDetailed && field("yes", "Meaning of yes", { hint: "it is so" })}
        {isDetailed && field("no", "Meaning of no", { hint: "it is not so" })}
      </>
    )}
  </ListFields>
);

/** Main fields of a judge metric. @param isDetailed true to show all fields of each statement. */
export const JudgeFields = (props: PartProps & { readonly isDetailed: boolean }) => {
  const { form, onChange, notes } = props;
  const field = textFields(form, (name, text) => onChange({ [name]: text }), notes);
  return (
    <>
      {field("instructions", "Instructions: what the judge needs to know, in your own words", { lines: 5 })}
      <Statements {...props} />
    </>
  );
};
