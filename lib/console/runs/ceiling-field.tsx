/** Field for the max cost of a run. */
export const CeilingField = ({
  value,
  placeholder = "no ceiling",
  onInput,
}: {
  readonly value: string;
  /** What an empty field means. */
  readonly placeholder?: string;
  readonly onInput: (value: string) => void;
}) => (
  <label>
    Max cost in US dollars
    <input
      inputMode="decimal"
      placeholder={placeholder}
      value={value}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  </label>
);
