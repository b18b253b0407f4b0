import type { ComponentChildren } from "preact";

/** Select whose options are titles by value, in the order of the object. */
export const Select = <Value extends string>({
  value,
  options,
  onSelect,
  label,
  isDisabled = false,
}: {
  readonly value: Value;
  readonly options: Readonly<Partial<Record<Value, string>>>;
  readonly onSelect: (value: Value) => void;
  /** Accessible name, for a select outside a label. */
  readonly label?: string;
  readonly isDisabled?: boolean;
}) => {
  const isOption = (text: string): text is Value => Object.hasOwn(options, text);
  return (
    <select
      value={value}
      aria-label={label}
      disabled={isDisabled}
      onChange={({ currentTarget }) => {
        if (isOption(currentTarget.value)) onSelect(currentTarget.value);
      }}
    >
      {Object.entries<string | undefined>(options).map(([key, title]) => (
        <option value={key}>{title}</option>
      ))}
    </select>
  );
};

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
