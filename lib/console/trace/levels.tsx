import type { TraceScore } from "../../client/interface.ts";
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

/** Values that a field for a score proposes. */
export const Levels = ({ score, id }: { readonly score: TraceScore; readonly id: string }) => {
  const levels = useLevels(score);
  return (
    <datalist id={id}>
      {levels.map(([value, title]) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </datalist>
  );
};
