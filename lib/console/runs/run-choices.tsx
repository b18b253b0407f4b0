import type { Signal } from "@preact/signals";
import type { Metric } from "../../client/interface.ts";
import type { RunChoice } from "./choice.ts";

const shares = [1, 0.5, 0.2, 0.1, 0.05, 0.01] as const;

/** By which metrics, how many of them, by which judge and for how much at most. */
export const RunChoices = ({
  metrics,
  choice,
  isSampled,
}: {
  readonly metrics: readonly Metric[];
  readonly choice: Signal<RunChoice>;
  /** Whether a share can be drawn. */
  readonly isSampled: boolean;
}) => {
  const change = (part: Partial<RunChoice>): void => {
    choice.value = { ...choice.value, ...part };
  };
  const { metrics: chosen, sampling, ceiling, model } = choice.value;
  return (
    <>
      <fieldset>
        <legend>Metrics</legend>
        {metrics.map(({ name, description }) => (
          <label class="choice" title={description}>
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={({ currentTarget: { checked } }) =>
                change({ metrics: checked ? [...chosen, name] : chosen.filter((each) => each !== name) })
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
              {shares.map((share) => (
                <option value={String(share)}>{share === 1 ? "all" : `${share * 100} % at random`}</option>
              ))}
            </select>
          </label>
        )}
        <label>
          At most, in US dollars
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
            placeholder="the service's own"
            value={model}
            onChange={({ currentTarget: { value } }) => change({ model: value })}
          />
        </label>
      </div>
    </>
  );
};
