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
import { TextField } from "./text-field.tsx";

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
    {(level, at, update) => (
      <>
        <TextField
          label="Label"
          path={`scale.${at}.label`}
          value={level.label}
          onChange={(label) => update({ label })}
          notes={notes}
          isShort
        />
        <TextField
          label="Meaning"
          path={`scale.${at}.meaning`}
          value={level.meaning}
          onChange={(meaning) => update({ meaning })}
          notes={notes}
        />
        <TextField
          label="Value"
          path={`scale.${at}.value`}
          value={level.value}
          onChange={(value) => update({ value })}
          notes={notes}
          isShort
        />
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
    {(statement, at, update) => (
      <>
        <TextField
          label="Name"
          path={`statements.${at}.name`}
          value={statement.name}
          onChange={(name) => update({ name })}
          notes={notes}
          hint={`statement_${at + 1}`}
          isShort
        />
        <TextField
          label="Question"
          path={`statements.${at}.text`}
          value={statement.text}
          onChange={(text) => update({ text })}
          notes={notes}
        />
        <div class="field brief">
          <label>
            Expected answer
            <select
              value={statement.expected}
              onChange={({ currentTarget: { value } }) => update({ expected: value === "no" ? "no" : "yes" })}
            >
              <option value="yes">yes</option>
              <option value="no">no</option>
            </select>
          </label>
        </div>
        <TextField
          label="Meaning of yes"
          path={`statements.${at}.yes`}
          value={statement.yes}
          onChange={(yes) => update({ yes })}
          notes={notes}
          hint="it is so"
        />
        <TextField
          label="Meaning of no"
          path={`statements.${at}.no`}
          value={statement.no}
          onChange={(no) => update({ no })}
          notes={notes}
          hint="it is not so"
        />
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
    {(example, at, update) => (
      <>
        <TextField
          label="Record"
          path={`examples.${at}.record`}
          value={example.record}
          onChange={(record) => update({ record })}
          notes={notes}
          lines={2}
        />
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
        <TextField
          label="Reason"
          path={`examples.${at}.reason`}
          value={example.reason}
          onChange={(reason) => update({ reason })}
          notes={notes}
        />
      </>
    )}
  </ListFields>
);

/** Fields of a judge metric. @param names names of all statements, including those derived from the levels. */
export const JudgeFields = ({ names, ...props }: PartProps & { readonly names: readonly string[] }) => {
  const { form, onChange, notes } = props;
  return (
    <>
      <TextField
        label="Instructions: what the judge needs to know, in your own words"
        path="instructions"
        value={form.instructions}
        onChange={(instructions) => onChange({ instructions })}
        notes={notes}
        lines={5}
      />
      <Levels {...props} />
      <Statements {...props} />
      <section class="part" aria-label="Judge input">
        <h2>Judge input</h2>
        <fieldset aria-label="Evidence">
          {Object.entries(evidenceKinds).map(([kind, title]) => (
            <label class="choice" key={kind}>
              <input
                type="checkbox"
                checked={form.evidence.includes(kind)}
                onChange={({ currentTarget: { checked } }) =>
                  onChange({
                    evidence: checked ? [...form.evidence, kind] : form.evidence.filter((each) => each !== kind),
                  })
                }
              />
              {title}
            </label>
          ))}
        </fieldset>
        <FieldNotes notes={notes} path="evidence" />
        <div class="part-row">
          <TextField
            label="Default judge"
            path="model"
            value={form.model}
            onChange={(model) => onChange({ model })}
            notes={notes}
            hint="service default"
          />
        </div>
      </section>
      <Examples {...props} names={names} />
      <details class="part" open={form.rule.trim() !== "" || notes.has("rule") || notes.has("otherwise")}>
        <summary>Rule: how the level follows from the answers</summary>
        <p class="faint">
          Without a rule, all expected answers give the highest level and none the lowest. With a rule, the first
          matching line decides.
        </p>
        <TextField
          label="Rule, as JSON"
          path="rule"
          value={form.rule}
          onChange={(rule) => onChange({ rule })}
          notes={notes}
          lines={4}
          isCode
          hint={'[{"level": "good", "answers": {"statement_1": "yes"}}]'}
        />
        <TextField
          label="Otherwise"
          path="otherwise"
          value={form.otherwise}
          onChange={(otherwise) => onChange({ otherwise })}
          notes={notes}
          hint="lowest level"
          isShort
        />
      </details>
    </>
  );
};
