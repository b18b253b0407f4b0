import type { JSX } from "preact";
import { noteAttributes, FieldNotes, type NotesByField } from "./field-notes.tsx";

interface TextFieldOptions {
  /** Visible lines; with 1, a single-line input. */
  readonly lines?: number;
  readonly isCode?: boolean;
  readonly hint?: string;
  readonly isDisabled?: boolean;
  readonly isShort?: boolean;
  /** Id of a list of proposed values. */
  readonly list?: string | undefined;
}

/** Names of the text fields of an object. */
type TextName<Fields> = { [Name in keyof Fields]: Fields[Name] extends string ? Name : never }[keyof Fields] & string;

/** Renders a labeled text field of an object by its name, with its errors and lint warnings. */
export type TextField<Fields> = (name: TextName<Fields>, label: string, options?: TextFieldOptions) => JSX.Element;

/**
 * Returns the function that renders the text fields of an object.
 *
 * @param path path of the object with a final dot, such as `statements.0.`; empty for the form itself.
 *
 * @example
 * const field = textFields(level, (name, text) => update({ [name]: text }), notes, "scale.0.");
 * field("label", "Label", { isShort: true });
 */
export const textFields =
  <Fields extends object>(
    fields: Fields,
    onChange: (name: TextName<Fields>, text: string) => void,
    notes: NotesByField = new Map(),
    path = "",
  ): TextField<Fields> =>
  (name, label, { lines = 1, isCode = false, hint, isDisabled = false, isShort = false, list } = {}) => {
    const value = String(fields[name]);
    const shared = {
      value,
      placeholder: hint,
      dir: "auto" as const,
      spellcheck: !isCode,
      disabled: isDisabled,
      ...noteAttributes(notes, path + name),
      onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }): void =>
        onChange(name, currentTarget.value),
    };
    return (
      <div class={isShort ? "field brief" : "field"}>
        <label>
          {label}
          {lines === 1 ? (
            <input list={list} {...shared} />
          ) : (
            <textarea
              {...shared}
              class={isCode ? "code" : undefined}
              rows={Math.max(lines, Math.min(24, value.split("\n").length))}
            />
          )}
        </label>
        <FieldNotes notes={notes} path={path + name} />
      </div>
    );
  };
