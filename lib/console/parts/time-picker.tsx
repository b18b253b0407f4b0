import { useSignal } from "@preact/signals";
import { route, updateQuery } from "../route.ts";
import type { Select, Switch } from "./controls.tsx";
import { rangeIn, isCustom } from "./time-window.ts";

/** Value of a field of local date and time; empty without an instant. */
const localText = (instant: string | undefined): string => {
  const at = new Date(instant ?? "");
  if (Number.isNaN(at.getTime())) return "";
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

/**
 * Choice of a window of time by the address: one of some ranges, or two instants.
 *
 * @param options titles by name; `all` for no bounds, `custom` for two instants.
 * @param fallback name that an address without a window has.
 * @param boundsOf returns the instants with which `custom` begins.
 */
export const TimePicker = ({
  label,
  control: Control,
  options,
  fallback,
  boundsOf,
}: {
  readonly label: string;
  readonly control: typeof Select | typeof Switch;
  readonly options: Readonly<Record<string, string>>;
  readonly fallback: string;
  readonly boundsOf?: () => { readonly started_after?: string; readonly started_before?: string };
}) => {
  const { query } = route.value;
  const hasInstants = "custom" in options && isCustom(query);
  const value = rangeIn(options, query) ?? (hasInstants ? "custom" : fallback);
  return (
    <>
      <Control
        label={label}
        value={value}
        options={options}
        onSelect={(next) =>
          updateQuery({
            range: next === "all" ? null : next,
            started_after: null,
            started_before: null,
            ...(next === "custom" && boundsOf?.()),
          })
        }
      />
      {value === "custom" && <Bounds />}
    </>
  );
};
