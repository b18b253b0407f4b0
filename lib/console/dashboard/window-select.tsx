import { route, updateQuery } from "../route.ts";
import { presets, type Preset, type TimeWindow } from "./time-window.ts";

/** Value of a field of local date and time; empty for text that is no instant. */
const localText = (instant: string): string => {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return "";
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

const Bound = ({
  name,
  label,
  instant,
}: {
  readonly name: "started_after" | "started_before";
  readonly label: string;
  readonly instant: string;
}) => (
  <label>
    {label}{" "}
    <input
      type="datetime-local"
      value={localText(instant)}
      onChange={({ currentTarget: { value } }) =>
        updateQuery({ [name]: value === "" ? null : new Date(value).toISOString() })
      }
    />
  </label>
);

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object's keys are the names it was written with.
const names = Object.keys(presets) as readonly Preset[];

/** Switch of the dashboard's window of time: presets, or two instants. */
export const WindowSelect = ({ window }: { readonly window: TimeWindow | null }) => {
  const { started_after: after, started_before: before } = { ...route.value.query, ...window };
  return (
    <div class="filters">
      <div class="switch" role="group" aria-label="Window of time">
        {names.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={window?.preset === name}
            onClick={() => updateQuery({ range: name, started_after: null, started_before: null })}
          >
            {presets[name].title}
          </button>
        ))}
        <button
          type="button"
          aria-pressed={window === null || window.preset === null}
          onClick={() => updateQuery({ range: "custom", started_after: after ?? null, started_before: before ?? null })}
        >
          Custom …
        </button>
      </div>
      {(window === null || window.preset === null) && (
        <>
          <Bound name="started_after" label="From" instant={after ?? ""} />
          <Bound name="started_before" label="Until" instant={before ?? ""} />
        </>
      )}
    </div>
  );
};
