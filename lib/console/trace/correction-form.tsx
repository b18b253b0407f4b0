import { useSignal, type Signal } from "@preact/signals";
import type { TraceScore } from "../../client/interface.ts";
import { bindText, focusOnMount, handleSubmit } from "../parts/form-bindings.ts";
import { client } from "../sign-in.ts";
import { useLoad } from "../use-load.ts";

/** Value of the opposite end of the scale, which a correction proposes. */
const opposite = ({ data_type: type, value }: TraceScore): string => {
  if (type === "BOOLEAN") return value === "true" ? "false" : "true";
  return Number(value) >= 0.5 ? "0" : "1";
};

/** Values with names: those of the levels of a custom metric, else those from 0 to 1 of the others. */
const useLevels = ({ name, metadata }: TraceScore): readonly (readonly [value: string, title: string])[] => {
  const isCustom = typeof metadata["metric_version"] === "number";
  const { value: metric } = useLoad(
    async (signal) => (isCustom ? await client.value.getOwnMetric({ path: { metric_name: name } }, { signal }) : null),
    [name, isCustom],
  );
  if (isCustom) return (metric?.rubric?.levels ?? []).map(({ name: title, value }) => [String(value), title]);
  return ["0", "0.25", "0.5", "0.75", "1"].map((value) => [value, value]);
};

/** Form for the value that a score should have, on the metric's own scale, and for the reason. */
export const CorrectionForm = ({
  score,
  reason,
  isBusy,
  onCorrect,
  onCancel,
}: {
  readonly score: TraceScore;
  readonly reason: Signal<string>;
  readonly isBusy: boolean;
  readonly onCorrect: (value: string) => unknown;
  readonly onCancel: () => void;
}) => {
  const value = useSignal(opposite(score));
  const levels = useLevels(score);
  const isNumber = score.data_type === "NUMERIC";
  return (
    <form
      onSubmit={handleSubmit(() => onCorrect(value.value))}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onCancel();
      }}
    >
      <label>
        It should be{" "}
        {isNumber ? <input type="number" step="any" required {...bindText(value)} list="levels" /> : value.value}
      </label>
      {isNumber && (
        <datalist id="levels">
          {levels.map(([each, title]) => (
            <option key={each} value={each}>
              {title}
            </option>
          ))}
        </datalist>
      )}
      <label>
        because
        <input {...bindText(reason)} ref={focusOnMount} />
      </label>
      <button type="submit" class="main" disabled={isBusy}>
        Correct it
      </button>
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
    </form>
  );
};
