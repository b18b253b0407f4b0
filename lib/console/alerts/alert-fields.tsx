import { formFields, withChange, type AlertForm } from "./form.ts";
import type { NotesByField } from "../parts/field-notes.tsx";
import { textFields } from "../parts/text-field.tsx";
import type { Field, Fields } from "../../domain/fields.ts";
import { Checkbox, Select } from "../parts/controls.tsx";
import { scoreNames, settingRows, type SettingWords } from "./setting-words.tsx";

const fields: Fields = formFields;

const words: Readonly<Record<string, SettingWords>> = Object.assign({}, ...settingRows);

// The name has its place above.
const otherNames = Object.keys(fields).filter((name) => name !== "name" && words[name] === undefined);

const rows = [...settingRows.map((row) => Object.keys(row)), otherNames];

/** Titles of a choice that names none: its values. */
const titlesOf = (field: Field): Readonly<Record<string, string>> => ({
  ...(field.nullable && { "": "none" }),
  ...Object.fromEntries(
    (field.kind === "one_of" ? field.values : []).map((value) => [value, value.replaceAll("_", " ")]),
  ),
});

/** Form fields of a rule without its name and filters. @param metrics proposed metrics; another score can be typed. */
export const AlertFields = ({
  form,
  onChange,
  notes,
  metrics,
}: {
  readonly form: AlertForm;
  readonly onChange: (form: AlertForm) => void;
  readonly notes: NotesByField;
  readonly metrics: readonly string[];
}) => {
  const values: Readonly<Record<string, string | boolean>> = form;
  const texts = Object.fromEntries(Object.entries(form).map(([name, value]) => [name, String(value)]));
  const change = (name: string, value: string | boolean): void => onChange(withChange(form, { [name]: value }));
  const textField = textFields(texts, change, notes);
  const fieldOf = (name: string) => {
    const { label, titles, isShown = () => true, ...options } = words[name] ?? { label: name.replaceAll("_", " ") };
    const [title, field, value] = [typeof label === "string" ? label : label(form), fields[name], values[name]];
    if (!isShown(form)) return null;
    if (typeof value === "boolean")
      return (
        <Checkbox isChecked={value} onChange={(isChecked) => change(name, isChecked)}>
          {title}
        </Checkbox>
      );
    if (field?.kind !== "one_of") return textField(name, title, options);
    return (
      <div class="field">
        <label>
          {title}
          <Select
            value={texts[name] ?? ""}
            options={titles ?? titlesOf(field)}
            onSelect={(selected) => change(name, selected)}
          />
        </label>
      </div>
    );
  };
  return (
    <>
      {rows.map((names) => (
        <div class="part-row">{names.map(fieldOf)}</div>
      ))}
      <p class="faint">An alert clears after two windows in a row without one.</p>
      <datalist id={scoreNames}>
        {metrics.map((name) => (
          <option value={name} key={name} />
        ))}
      </datalist>
    </>
  );
};
