import { useSignal } from "@preact/signals";
import { Select } from "../parts/controls.tsx";
import { route, updateQuery } from "../route.ts";
import { isTimeRange, timeRanges, timeBoundsOf } from "../traces/time-range.ts";

/** Value of a field of local date and time; empty without an instant. */
const localText = (instant: string | undefined): string => {
  if (instant === undefined) return "";
  const at = new Date(instant);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

/** Fields of two instants. Those that are no window are kept in the fields and not applied. */
const Bounds = () => {
  const { started_after: after, started_before: before } = route.value.query;
  const applied = { started_after: after, started_before: before };
  /** Bounds that are no window, and the window they were entered in: they end when another is applied. */
  const draft = useSignal<{ readonly bounds: typeof applied; readonly of: typeof applied } | null>(null);
  const isOfApplied = draft.value?.of.started_after === after && draft.value?.of.started_before === before;
  const bounds = (isOfApplied ? draft.value?.bounds : undefined) ?? applied;
  const isReversed = ({ started_after: from, started_before: to }: typeof bounds): boolean =>
    from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to);
  const bound = (name: "started_after" | "started_before", label: string) => (
    <input
      type="datetime-local"
      aria-label={label}
      value={localText(bounds[name])}
      onChange={({ currentTarget: { value } }) => {
        const next = { ...bounds, [name]: value === "" ? undefined : new Date(value).toISOString() };
        draft.value = isReversed(next) ? { bounds: next, of: applied } : null;
        if (draft.value === null)
          updateQuery({ started_after: next.started_after ?? null, started_before: next.started_before ?? null });
      }}
    />
  );
  return (
    <span class="buttons">
      {bound("started_after", "From")}
      {bound("started_before", "Until")}
      {isReversed(bounds) && (
        <span class="bad" role="alert">
          The end of the window must be after its start.
        </span>
      )}
    </span>
  );
};

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
          const bounds = next === "custom" ? timeBoundsOf(query) : {};
          updateQuery({ range: isTimeRange(next) ? next : null, started_after: null, started_before: null, ...bounds });
        }}
      />
      {value === "custom" && <Bounds />}
    </>
  );
};
