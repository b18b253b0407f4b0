import { described, Notes, type NotesByField } from "./notes.tsx";

/** A field for a text, with what is said of it. */
export const TextField = ({
  label,
  path,
  value,
  change,
  notes,
  lines = 1,
  isCode = false,
  hint,
  isFixed = false,
  short: isShort = false,
}: {
  readonly label: string;
  /** `statements.0.text` */
  readonly path: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly notes: NotesByField;
  /** Lines that are seen of it; one: it has only one. */
  readonly lines?: number;
  readonly isCode?: boolean;
  readonly hint?: string;
  readonly isFixed?: boolean;
  readonly short?: boolean;
}) => {
  const shared = {
    value,
    placeholder: hint,
    dir: "auto" as const,
    spellcheck: !isCode,
    disabled: isFixed,
    ...described(notes, path),
  };
  return (
    <div class={isShort ? "field brief" : "field"}>
      <label>
        {label}
        {lines === 1 ? (
          <input {...shared} onInput={({ currentTarget }) => change(currentTarget.value)} />
        ) : (
          <textarea
            {...shared}
            class={isCode ? "code" : undefined}
            rows={Math.max(lines, Math.min(24, value.split("\n").length))}
            onInput={({ currentTarget }) => change(currentTarget.value)}
          />
        )}
      </label>
      <Notes of={notes} path={path} />
    </div>
  );
};
