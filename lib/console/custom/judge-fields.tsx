import {
  evidenceKinds,
  statementNames,
  type ExampleFields,
  type LevelFields,
  type MetricForm,
  type StatementFields,
} from "./form.ts";
import { ListFields } from "./list-fields.tsx";
import { described, Notes, type NotesByField } from "./notes.tsx";
import { TextField } from "./text-field.tsx";

interface PartProps {
  readonly form: MetricForm;
  readonly change: (part: Partial<MetricForm>) => void;
  readonly notes: NotesByField;
}

const Levels = ({ form, change, notes }: PartProps) => (
  <ListFields
    title="Scale"
    hint={
      form.scale.length === 0
        ? "Yes scores 1 and no scores 0. Or name two to seven levels."
        : "Two to seven levels, each with what it means and the value from 0 to 1 that it scores."
    }
    path="scale"
    rows={form.scale}
    most={7}
    change={(scale: readonly LevelFields[]) => change({ scale })}
    blank={() => ({ label: "", meaning: "", value: "" })}
    word="level"
    notes={notes}
  >
    {(level, at, put) => (
      <>
        <TextField
          label="Label"
          path={`scale.${at}.label`}
          value={level.label}
          change={(label) => put({ label })}
          notes={notes}
          short
        />
        <TextField
          label="What it means"
          path={`scale.${at}.meaning`}
          value={level.meaning}
          change={(meaning) => put({ meaning })}
          notes={notes}
        />
        <TextField
          label="Value"
          path={`scale.${at}.value`}
          value={level.value}
          change={(value) => put({ value })}
          notes={notes}
          short
        />
      </>
    )}
  </ListFields>
);

/** Answers of examples go with a statement's name. */
const renamed = (form: MetricForm, statements: readonly StatementFields[]): Partial<MetricForm> => {
  if (statements.length !== form.statements.length) return { statements };
  const [before, after] = [statementNames(form), statementNames({ ...form, statements })];
  const at = after.findIndex((name, place) => name !== before[place]);
  const [old, now] = [before[at], after[at]];
  if (old === undefined || now === undefined) return { statements };
  const examples = form.examples.map((example) => ({
    ...example,
    answers: Object.fromEntries(
      Object.entries(example.answers).map(([name, answer]) => [name === old ? now : name, answer]),
    ),
  }));
  return { statements, examples };
};

const Statements = ({ form, change, notes }: PartProps) => (
  <ListFields
    title="Statements"
    hint="Questions that the judge answers with yes or no, each with evidence. Without any there is one for each level but the lowest."
    path="statements"
    rows={form.statements}
    most={10}
    change={(statements: readonly StatementFields[]) => change(renamed(form, statements))}
    blank={() => ({ name: "", text: "", yes: "", no: "", expected: "yes" as const })}
    word="statement"
    notes={notes}
  >
    {(statement, at, put) => (
      <>
        <TextField
          label="Name"
          path={`statements.${at}.name`}
          value={statement.name}
          change={(name) => put({ name })}
          notes={notes}
          hint={`statement_${at + 1}`}
          short
        />
        <TextField
          label="Question"
          path={`statements.${at}.text`}
          value={statement.text}
          change={(text) => put({ text })}
          notes={notes}
        />
        <div class="field brief">
          <label>
            Speaks for it
            <select
              value={statement.expected}
              onChange={({ currentTarget: { value } }) => put({ expected: value === "no" ? "no" : "yes" })}
            >
              <option value="yes">yes</option>
              <option value="no">no</option>
            </select>
          </label>
        </div>
        <TextField
          label="A yes means"
          path={`statements.${at}.yes`}
          value={statement.yes}
          change={(yes) => put({ yes })}
          notes={notes}
          hint="it is so"
        />
        <TextField
          label="A no means"
          path={`statements.${at}.no`}
          value={statement.no}
          change={(no) => put({ no })}
          notes={notes}
          hint="it is not so"
        />
      </>
    )}
  </ListFields>
);

const Examples = ({ form, change, notes, names }: PartProps & { readonly names: readonly string[] }) => (
  <ListFields
    title="Examples"
    hint="What a record tells, and how each statement is answered for it: it shows the judge how strict to be."
    path="examples"
    rows={form.examples}
    most={5}
    change={(examples: readonly ExampleFields[]) => change({ examples })}
    blank={(): ExampleFields => ({ record: "", answers: {}, reason: "" })}
    word="example"
    notes={notes}
  >
    {(example, at, put) => (
      <>
        <TextField
          label="What the record tells"
          path={`examples.${at}.record`}
          value={example.record}
          change={(record) => put({ record })}
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
                  onChange={({ currentTarget: { value } }) => put({ answers: { ...example.answers, [name]: value } })}
                  {...described(notes, `examples.${at}.answers`)}
                >
                  <option value="">choose …</option>
                  <option value="yes">yes</option>
                  <option value="no">no</option>
                  <option value="cannot_tell">cannot tell</option>
                </select>
              </label>
            ))}
          </div>
          <Notes of={notes} path={`examples.${at}.answers`} />
        </div>
        <TextField
          label="Why"
          path={`examples.${at}.reason`}
          value={example.reason}
          change={(reason) => put({ reason })}
          notes={notes}
        />
      </>
    )}
  </ListFields>
);

/** What a metric says that a judge answers. @param names of its statements, those that follow from its levels too. */
export const JudgeFields = ({ names, ...props }: PartProps & { readonly names: readonly string[] }) => {
  const { form, change, notes } = props;
  return (
    <>
      <TextField
        label="Instructions: what the judge has to know, in your own words"
        path="instructions"
        value={form.instructions}
        change={(instructions) => change({ instructions })}
        notes={notes}
        lines={5}
      />
      <Levels {...props} />
      <Statements {...props} />
      <section class="part" aria-label="What the judge is shown">
        <h2>What the judge is shown</h2>
        <fieldset aria-label="Of the trace">
          {Object.entries(evidenceKinds).map(([kind, title]) => (
            <label class="choice" key={kind}>
              <input
                type="checkbox"
                checked={form.evidence.includes(kind)}
                onChange={({ currentTarget: { checked } }) =>
                  change({
                    evidence: checked ? [...form.evidence, kind] : form.evidence.filter((each) => each !== kind),
                  })
                }
              />
              {title}
            </label>
          ))}
        </fieldset>
        <Notes of={notes} path="evidence" />
        <div class="part-row">
          <TextField
            label="Judge, for runs that name none"
            path="model"
            value={form.model}
            change={(model) => change({ model })}
            notes={notes}
            hint="the service's own"
          />
        </div>
      </section>
      <Examples {...props} names={names} />
      <details class="part" open={form.rule.trim() !== "" || notes.has("rule") || notes.has("otherwise")}>
        <summary>Rule: how the level follows from the answers</summary>
        <p class="faint">
          Without one, all statements answered as expected are the highest level and none the lowest. With one, the
          first line that holds counts.
        </p>
        <TextField
          label="Rule, as JSON"
          path="rule"
          value={form.rule}
          change={(rule) => change({ rule })}
          notes={notes}
          lines={4}
          isCode
          hint={'[{"level": "good", "answers": {"statement_1": "yes"}}]'}
        />
        <TextField
          label="Otherwise, the level"
          path="otherwise"
          value={form.otherwise}
          change={(otherwise) => change({ otherwise })}
          notes={notes}
          hint="the lowest"
          short
        />
      </details>
    </>
  );
};
