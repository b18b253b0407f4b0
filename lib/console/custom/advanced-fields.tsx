import { evidenceLabels, type ExampleFields, type LevelFields, type MetricForm } from "./form.ts";
import { ListFields } from "../parts/list-fields.tsx";
import { noteAttributes, FieldNotes, type NotesByField } from "../parts/field-notes.tsx";
import { advancedNoteCounts } from "./metric-notes.ts";
import { textFields } from "../parts/text-field.tsx";
import { Checkboxes } from "../parts/controls.tsx";
import { plural } from "../format.ts";

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

/** Names the scale and the number of warnings of the fields in the disclosure. */
const summaryText = ({ form, notes }: Pick<PartProps, "form" | "notes">): string => {
  const { remarks } = advancedNoteCounts(notes);
  const scale =
    form.scale.length === 0 ? "yes 1, no 0" : form.scale.map(({ label, value }) => `${label} ${value}`).join(", ");
  const parts = form.kind === "judge" ? `scale (${scale}), threshold, judge input, examples, rule` : "threshold";
  return `Advanced: ${parts}${remarks === 0 ? "" : ` – ${plural(remarks, "warning")}`}`;
};

/**
 * Disclosure with the further fields of a metric. It opens by itself if one of them is invalid.
 *
 * @param names names of all statements, including those derived from the levels.
 */
export const AdvancedFields = ({
  names,
  isOpen,
  onToggle,
  ...props
}: PartProps & {
  readonly names: readonly string[];
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}) => {
  const { form, onChange, notes } = props;
  const field = textFields(form, (name, text) => onChange({ [name]: text }), notes);
  return (
    <details class="part" open={isOpen} onToggle={({ currentTarget: { open } }) => onToggle(open)}>
      <summary dir="auto">{summaryText(props)}</summary>
      <div class="part-row">{field("threshold", "Success threshold", { isShort: true })}</div>
      {form.kind === "judge" && (
        <>
          <Levels {...props} />
          <section class="part" aria-label="Judge input">
            <h2>Judge input</h2>
            <fieldset aria-label="Evidence">
              <Checkboxes
                titles={Object.entries(evidenceLabels).map(([key, label]) => ({ key, label }))}
                selection={form.evidence}
                onChange={(evidence) => onChange({ evidence })}
              />
            </fieldset>
            <FieldNotes notes={notes} path="evidence" />
            <div class="part-row">{field("model", "Default judge", { hint: "service default" })}</div>
          </section>
          <Examples {...props} names={names} />
          <section class="part" aria-label="Rule">
            <h2>Rule</h2>
            <p class="faint">
              The first line that matches gives the level, and Otherwise is the level if none does. Without a rule, all
              expected answers give the highest level, and each lower one needs fewer of them.
            </p>
            {field("rule", "Rule, as JSON", {
              hint: '[{"level": "good", "answers": {"statement_1": "yes"}}]',
              lines: 4,
              isCode: true,
            })}
            {field("otherwise", "Otherwise", { hint: "lowest level", isShort: true })}
          </section>
        </>
      )}
    </details>
  );
};
