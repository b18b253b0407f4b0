import type { Signal } from "@preact/signals";
import type { TraceScore } from "../../client/interface.ts";
import { bindText } from "../parts/form-bindings.ts";
import { client } from "../sign-in.ts";
import { useLoad } from "../use-load.ts";

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

/** Field for a number on the metric's own scale, which proposes the values with names. */
export const ScaleField = ({ score, value }: { readonly score: TraceScore; readonly value: Signal<string> }) => {
  const levels = useLevels(score);
  const isCustom = typeof score.metadata["metric_version"] === "number";
  return (
    <>
      <input
        type="number"
        step="any"
        required
        // Scores of the metrics that are built in are from 0 to 1; a custom one has its levels.
        {...(!isCustom && { min: 0, max: 1 })}
        {...bindText(value)}
        list="levels"
      />
      <datalist id="levels">
        {levels.map(([each, title]) => (
          <option key={each} value={each}>
            {title}
          </option>
        ))}
      </datalist>
    </>
  );
};
