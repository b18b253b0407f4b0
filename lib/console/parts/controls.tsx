import type { ComponentChildren } from "preact";

interface Choice<Value extends string> {
  readonly value: Value;
  /** Titles by value, in the order of the choices. */
  readonly options: Readonly<Partial<Record<Value, string>>>;
  readonly onSelect: (value: Value) => void;
  /** Accessible name, for a choice outside a label. */
  readonly label?: string;
  readonly isDisabled?: boolean;
}

const isOption = <Value extends string>(options: Choice<Value>["options"], text: string): text is Value =>
  Object.hasOwn(options, text);

/** Select whose options are titles by value. */
export const Select = <Value extends string>({
  value,
  options,
  onSelect,
  label,
  isDisabled = false,
}: Choice<Value>) => {
  return (
    <select
      value={value}
      aria-label={label}
      disabled={isDisabled}
      onChange={({ currentTarget }) => {
        if (isOption(options, currentTarget.value)) onSelect(currentTarget.value);
      }}
    >
      {Object.entries<string | undefined>(options).map(([key, title]) => (
        <option value={key}>{title}</option>
      ))}
    </select>
  );
};

/** Group of buttons of which one is pressed, for the same choices as a select. */
export const Switch = <Value extends string>({
  value,
  options,
  onSelect,
  label,
  isDisabled = false,
}: Choice<Value>) => {
  return (
    <div class="switch" role="group" aria-label={label}>
      {Object.entries<string | undefined>(options).map(([key, title]) => (
        <button
          key={key}
          type="button"
          disabled={isDisabled}
          aria-pressed={value === key}
          onClick={() => {
            if (isOption(options, key)) onSelect(key);
          }}
        >
          {title}
        </button>
      ))}
    </div>
  );
};

/** Returns the titles of things by their names, as options of a choice. */
export const titlesByName = <Name extends string>(
  things: Readonly<Record<Name, { readonly title: string }>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries<{ readonly title: string }>(things).map(([name, { title }]) => [name, title]));

/** Labeled checkbox. */
export const Checkbox = ({
  isChecked,
  onChange,
  title,
  children,
}: {
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  readonly title?: string;
  readonly children: ComponentChildren;
}) => (
  <label class="choice" title={title}>
    <input type="checkbox" checked={isChecked} onChange={({ currentTarget: { checked } }) => onChange(checked)} />
    {children}
  </label>
);

/** Labeled checkboxes that select some of the keys of `titles`. */
export const Checkboxes = ({
  titles,
  selection,
  onChange,
}: {
  readonly titles: readonly { readonly key: string; readonly label: string; readonly title?: string }[];
  readonly selection: readonly string[];
  readonly onChange: (selection: readonly string[]) => void;
}) =>
  titles.map(({ key, label, title }) => (
    <Checkbox
      key={key}
      isChecked={selection.includes(key)}
      onChange={(isChecked) => onChange(isChecked ? [...selection, key] : selection.filter((each) => each !== key))}
      {...(title !== undefined && { title })}
    >
      {label}
    </Checkbox>
  ));
