import {
  evidenceKinds,
  statementNames,
  type ExampleFields,
  type LevelFields,
  type MetricForm,
  type StatementFields,
} from "./form.ts";
import { ListFields } from "./list-fields.tsx";
import { noteAttributes, FieldNotes, type NotesByField } from "./field-notes.tsx";
import { textFields } from "./text-field.tsx";
import { Checkboxes, Select } from "../parts/controls.tsx";

interface PartProps {
  readonly form: MetricForm;
  readonly onChange: (part: Partial<MetricForm>) => void;
  readonly notes: NotesByField;
}

const Levels = ({ form, onChange, notes }: PartProps) => (
  <ListFields
    title="Scale"
    hint={
      form.scale.length === 0
        ? "Yes scores 1 and no scores 0. Or add two to seven levels."
        : "Two to seven levels, each with its meaning and its score from 0 to 1."
    }
    path="scale"
    rows={form.scale}
    maxRows={7}
    onChange={(scale: readonly LevelFields[]) => onChange({ scale })}
    emptyRow={() => ({ label: "", meaning: "", value: "" })}
    rowName="level"
    notes={notes}
  >
    {(field) => (
      <>
        {field("label", "Label", { isShort: true })}
        {field("meaning", "Meaning")}
        {field("value", "Value", { isShort: true })}
      </>
    )}
  </ListFields>
);

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

const Statements = ({ form, onChange, notes }: PartProps) => (
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
        {field("name", "Name", { hint: `statement_${at + 1}`, isShort: true })}
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
        {field("yes", "Meaning of yes", { hint: "it is so" })}
        {field("no", "Meaning of no", { hint: "it is not so" })}
      </>
    )}
  </ListFields>
);

const Examples = ({ form, onChange, notes, names }: PartProps & { readonly names: readonly string[] }) => (
  <ListFields
    title="Examples"
    hint="Example records with the answer to each statement, which show the judge how strict to be."
    path="examples"
    rows={form.examples}
    maxRows={5}
    onChange={(examples: readonly ExampleFields[]) => onChange({ examples })}
    emptyRow={(): ExampleFields => ({ record: "", answers: {}, reason: "" })}
    rowName="example"
    notes={notes}
  >
    {(field, example, at, update) => (
      <>
        {field("record", "Record", { lines: 2 })}
        <div class="field">
          <div class="fields">
            {names.map((name) => (
              <label key={name}>
                <span dir="auto">{name}</span>
                <select
                  value={example.answers[name] ?? ""}
                  onChange={({ currentTarget: { value } }) =>
                    update({ answers: { ...example.answers, [name]: value } })
                  }
                  {...noteAttributes(notes, `examples.${at}.answers`)}
                >
                  <option value="">select …</option>
                  <option value="yes">yes</option>
                  <option value="no">no</option>
                  <option value="cannot_tell">cannot tell</option>
                </select>
              </label>
            ))}
          </div>
          <FieldNotes notes={notes} path={`examples.${at}.answers`} />
        </div>
        {field("reason", "Reason")}
      </>
    )}
  </ListFields>
);

/** Fields of a judge metric. @param names names of all statements, including those derived from the levels. */
export const JudgeFields = ({ names, ...props }: PartProps & { readonly names: readonly string[] }) => {
  const { form, onChange, notes } = props;
  const field = textFields(form, (name, text) => onChange({ [name]: text }), notes);
  return (
    <>
      {field("instructions", "Instructions: what the judge needs to know, in your own words", { lines: 5 })}
      <Levels {...props} />
      <Statements {...props} />
      <section class="part" aria-label="Judge input">
        <h2>Judge input</h2>
        <fieldset aria-label="Evidence">
          <Checkboxes
            titles={Object.entries(evidenceKinds).map(([key, label]) => ({ key, label }))}
            selection={form.evidence}
            onChange={(evidence) => onChange({ evidence })}
          />
        </fieldset>
        <FieldNotes notes={notes} path="evidence" />
        <div class="part-row">{field("model", "Default judge", { hint: "service default" })}</div>
      </section>
      <Examples {...props} names={names} />
      <details class="part" open={form.rule.trim() !== "" || notes.has("rule") || notes.has("otherwise")}>
        <summary>Rule: how the level follows from the answers</summary>
        <p class="faint">
          Without a rule, all expected answers give the highest level and none the lowest. With a rule, the first
          matching line decides.
        </p>
        {field("rule", "Rule, as JSON", {
          hint: '[{"level": "good", "answers": {"statement_1": "yes"}}]',
          lines: 4,
          isCode: true,
        })}
        {field("otherwise", "Otherwise", { hint: "lowest level", isShort: true })}
      </details>
    </>
  );
};
