import type { Signal } from "@preact/signals";
import type { Metric } from "../../client/interface.ts";
import { Checkboxes, Select } from "../parts/controls.tsx";
import { CeilingField } from "./ceiling-field.tsx";
import { hasConfidence, type RunOptions } from "./run-options.ts";

/** Selectable sampling rates with their titles. */
const samplingRates: Readonly<Record<string, string>> = Object.fromEntries(
  [1, 0.5, 0.2, 0.1, 0.05, 0.01].map((rate) => [rate, rate === 1 ? "all" : `${rate * 100} % at random`]),
);

/** Form fields of a run: metrics, sampling rate, ceiling and judge. */
export const RunOptionFields = ({
  metrics,
  options,
  ceiling,
  isSampled,
  takesSecondJudge,
}: {
  readonly metrics: readonly Metric[];
  readonly options: Signal<RunOptions>;
  /** Max cost in US dollars, typed or proposed. */
  readonly ceiling: string;
  /** Shows the sampling rate: true if the targets are selected by filters. */
  readonly isSampled: boolean;
  /** True for targets that two judges can judge: traces. */
  readonly takesSecondJudge: boolean;
}) => {
  const change = (part: Partial<RunOptions>): void => {
    options.value = { ...options.value, ...part };
  };
  const { metrics: selectedMetrics, sampling, model, secondModel } = options.value;
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
              options={samplingRates}
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
