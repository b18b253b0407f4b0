import type { AlertInput, AlertPreview } from "../../client/interface.ts";
import type { AlertWindow } from "../../domain/alerts/fields.ts";
import { isScoreSignal, windowLength } from "../../domain/alerts/rule.ts";
import { fieldProblems } from "../parts/field-notes.tsx";
import { plural } from "../format.ts";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { client } from "../sign-in.ts";
import { useLoad, type LoadState } from "../use-load.ts";
import { ValueChart } from "./value-chart.tsx";
import { baselineNames, signalText, valueText, valueUnit, type RuleCondition } from "./words.ts";

const day = 86_400_000;

/** Max windows of a preview. */
const maxWindows = 500;

/** Length of the range of a preview in milliseconds: 14 days, less for short windows, and at least four windows. */
const rangeOf = (window: AlertWindow): number =>
  Math.max(4 * windowLength(window), Math.min(14 * day, maxWindows * windowLength(window)));

/** Loads what a rule would have done on past data; null without a rule. */
export const useAlertPreview = (rule: AlertInput | null): LoadState<AlertPreview | null> =>
  useLoad(
    async (signal) => {
      if (rule === null) return null;
      const date_from = new Date(Date.now() - rangeOf(rule.window)).toISOString();
      return await client.value.previewAlert({ body: { ...rule, date_from } }, { signal });
    },
    [JSON.stringify(rule)],
  );

const rangeText = (window: AlertWindow): string => {
  const hours = rangeOf(window) / 3_600_000;
  return hours < 72 ? plural(Math.round(hours), "hour") : plural(Math.round(hours / 24), "day");
};

/** How often a rule would have fired on past data, with a chart of its values. */
export const PreviewSummary = ({
  rule,
  preview: { value, error, isLoading, reload },
}: {
  readonly rule: RuleCondition;
  readonly preview: LoadState<AlertPreview | null>;
}) => {
  const rejection = (fieldProblems(error) ?? []).map(({ message }) => message).join(" ");
  const raised = value?.transitions.filter(({ transition }) => transition === "raised").length ?? 0;
  const range = rangeText(rule.window);
  const detectable = value?.windows.findLast((window) => window.detectable !== null)?.detectable ?? undefined;
  return (
    <>
      <p role="status">
        {isLoading && <span class="faint">Computing the values of the last {range} …</span>}
        {!isLoading && rejection !== "" && <span class="faint">No values: {rejection}</span>}
        {!isLoading && value?.observations === 0 && <>Nothing was measured in the last {range}.</>}
        {!isLoading && value !== null && value.observations > 0 && (
          <>
            Would have fired <b>{plural(raised, "time")}</b> in the last {range}, in{" "}
            {plural(value.observations, isScoreSignal(rule.signal) ? "score" : "trace")}.
            {detectable !== undefined &&
              ` At the traffic of the last window it sees a worsening of ${valueText(valueUnit(rule.signal), detectable)} or more in four of five windows.`}
          </>
        )}
      </p>
      <ErrorAlert error={rejection === "" ? error : null} reload={reload} />
      {value !== null && (
        <ValueChart
          points={value.windows}
          unit={valueUnit(rule.signal)}
          referenceTitle={baselineNames[rule.compare_with]}
          label={`${signalText(rule)} in the last ${range}, ${plural(raised, "alert")}`}
        />
      )}
    </>
  );
};
