import type { Metric } from "../../client/interface.ts";
import { Checkboxes, Select } from "../parts/controls.tsx";
import { CeilingField } from "./ceiling-field.tsx";
import { hasConfidence, type RunOptions } from "./run-options.ts";

/** Returns the selectable sampling rates with their titles, the current one among them, by falling rate. */
const samplingRates = (current: number): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...new Set([1, 0.5, 0.2, 0.1, 0.05, 0.01, current])]
      .toSorted((a, b) => b - a)
      .map((rate) => [rate, rate === 1 ? "all" : `${Number((rate * 100).toPrecision(12))} % at random`]),
  );

/** Form fields of a run: metrics, sampling rate, ceiling and judge. */
export const RunOptionFields = ({
  metrics,
  options: { metrics: selectedMetrics, sampling, model, secondModel },
  onChange: change,
  ceiling,
  isSampled,
  takesSecondJudge,
}: {
  readonly metrics: readonly Metric[];
  readonly options: RunOptions;
  readonly onChange: (part: Partial<RunOptions>) => void;
  /** Max cost in US dollars, typed or proposed. */
  readonly ceiling: string;
  /** Shows the sampling rate: true if the targets are selected by filters. */
  readonly isSampled: boolean;
  /** True for targets that two judges can judge: traces. */
  readonly takesSecondJudge: boolean;
}) => {
  return (
    <>
      <fieldset>
        <legend>Metrics</legend>
        <Checkboxes
          titles={metrics.map(({ name, description }) => ({
            key: name,
            label: name.replaceAll("_", " "),
            title: description,
          }))}
          selection={selectedMetrics}
          onChange={(selection) => change({ metrics: selection })}
        />
      </fieldset>
      <div class="fields">
        {isSampled && (
          <label>
            Share
            <Select
              value={String(sampling)}
              options={samplingRates(sampling)}
              onSelect={(rate) => change({ sampling: Number(rate) })}
            />
          </label>
        )}
        <CeilingField value={ceiling} onInput={(typed) => change({ ceiling: typed })} />
        <label>
          Judge
          <input
            placeholder="service default"
            value={model}
            onChange={({ currentTarget: { value } }) => change({ model: value })}
          />
        </label>
        {takesSecondJudge && hasConfidence(model) && (
          <label>
            Second judge where it is unsure
            <input
              placeholder="none"
              value={secondModel}
              onChange={({ currentTarget: { value } }) => change({ secondModel: value })}
            />
          </label>
        )}
      </div>
    </>
  );
};
