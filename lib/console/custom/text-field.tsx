import { noteAttributes, FieldNotes, type NotesByField } from "./field-notes.tsx";

/** Labeled text field with its errors and lint warnings. */
export const TextField = ({
  label,
  path,
  value,
  onChange,
  notes,
  lines = 1,
  isCode = false,
  hint,
  isDisabled = false,
  isShort = false,
}: {
  readonly label: string;
  /** Path of the field, such as `statements.0.text`. */
  readonly path: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly notes: NotesByField;
  /** Visible lines; with 1, a single-line input. */
  readonly lines?: number;
  readonly isCode?: boolean;
  readonly hint?: string;
  readonly isDisabled?: boolean;
  readonly isShort?: boolean;
}) => {
  const shared = {
    value,
    placeholder: hint,
    dir: "auto" as const,
    spellcheck: !isCode,
    disabled: isDisabled,
    ...noteAttributes(notes, path),
  };
  return (
    <div class={isShort ? "field brief" : "field"}>
      <label>
        {label}
        {lines === 1 ? (
          <input {...shared} onInput={({ currentTarget }) => onChange(currentTarget.value)} />
        ) : (
          <textarea
            {...shared}
            class={isCode ? "code" : undefined}
            rows={Math.max(lines, Math.min(24, value.split("\n").length))}
            onInput={({ currentTarget }) => onChange(currentTarget.value)}
          />
        )}
      </label>
      <FieldNotes notes={notes} path={path} />
    </div>
  );
};
