import type { Signal } from "@preact/signals";
import type { Metric } from "../../client/interface.ts";
import type { RunOptions } from "./run-options.ts";

/** Selectable sampling rates. */
const samplingRates = [1, 0.5, 0.2, 0.1, 0.05, 0.01] as const;

/** Form fields of a run: metrics, sampling rate, ceiling and judge. */
export const RunOptionFields = ({
  metrics,
  options,
  isSampled,
}: {
  readonly metrics: readonly Metric[];
  readonly options: Signal<RunOptions>;
  /** Shows the sampling rate: true if the targets are selected by filters. */
  readonly isSampled: boolean;
}) => {
  const change = (part: Partial<RunOptions>): void => {
    options.value = { ...options.value, ...part };
  };
  const { metrics: selectedMetrics, sampling, ceiling, model } = options.value;
  return (
    <>
      <fieldset>
        <legend>Metrics</legend>
        {metrics.map(({ name, description }) => (
          <label class="choice" title={description}>
            <input
              type="checkbox"
              checked={selectedMetrics.includes(name)}
              onChange={({ currentTarget: { checked } }) =>
                change({
                  metrics: checked ? [...selectedMetrics, name] : selectedMetrics.filter((each) => each !== name),
                })
              }
            />
            {name.replaceAll("_", " ")}
          </label>
        ))}
      </fieldset>
      <div class="fields">
        {isSampled && (
          <label>
            Share
            <select
              value={String(sampling)}
              onChange={({ currentTarget: { value } }) => change({ sampling: Number(value) })}
            >
              {samplingRates.map((rate) => (
                <option value={String(rate)}>{rate === 1 ? "all" : `${rate * 100} % at random`}</option>
              ))}
            </select>
          </label>
        )}
        <label>
          Max cost in US dollars
          <input
            inputMode="decimal"
            placeholder="no ceiling"
            value={ceiling}
            onInput={({ currentTarget: { value } }) => change({ ceiling: value })}
          />
        </label>
        <label>
          Judge
          <input
            placeholder="service default"
            value={model}
            onChange={({ currentTarget: { value } }) => change({ model: value })}
          />
        </label>
      </div>
    </>
  );
};
