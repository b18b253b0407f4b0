import { useSignal } from "@preact/signals";
import { Select } from "../parts/controls.tsx";
import { route, updateQuery } from "../route.ts";
import { isTimeRange, timeRanges, timeWindowOf } from "../traces/time-range.ts";

/** Value of a field of local date and time; empty without an instant. */
const localText = (instant: string | undefined): string => {
  if (instant === undefined) return "";
  const at = new Date(instant);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

const Bound = ({ name, label }: { readonly name: "started_after" | "started_before"; readonly label: string }) => (
  <input
    type="datetime-local"
    aria-label={label}
    value={localText(route.value.query[name])}
    onChange={({ currentTarget: { value } }) =>
      updateQuery({ [name]: value === "" ? null : new Date(value).toISOString() })
    }
  />
);

/** Select with the list's window of time: all, a relative range, or two instants. */
export const TimeSelect = () => {
  const { query } = route.value;
  const isOpen = useSignal(false);
  const hasBounds = query["started_after"] !== undefined || query["started_before"] !== undefined;
  const value = isTimeRange(query["range"]) ? query["range"] : hasBounds || isOpen.value ? "custom" : "all";
  return (
    <>
      <Select
        label="Time"
        value={value}
        options={{ all: "All time", ...timeRanges, custom: "Custom …" }}
        onSelect={(next) => {
          isOpen.value = next === "custom";
          const bounds = next === "custom" ? timeWindowOf(query) : {};
          updateQuery({ range: isTimeRange(next) ? next : null, started_after: null, started_before: null, ...bounds });
        }}
      />
      {value === "custom" && (
        <span class="buttons">
          <Bound name="started_after" label="From" />
          <Bound name="started_before" label="Until" />
        </span>
      )}
    </>
  );
};
