import type { AlertChange } from "../../client/interface.ts";
import { canWrite } from "../sign-in.ts";
import { AlertWarnings } from "./alert-warnings.tsx";
import { formOf, settingsOf } from "./form.ts";
import { FirstCheck, Receivers, SendTest } from "./receivers.tsx";
import { PreviewSummary, useAlertPreview } from "./preview.tsx";
import { ValueChart } from "./value-chart.tsx";
import { AlertFacts } from "./setting-words.tsx";
import { baselineNames, signalText, valueUnit, type RuleAlert } from "./words.ts";

/** Settings and warnings of a rule, and its values: on past data, or of the changes of its state for a key that may only read. */
export const RuleDetails = ({
  rule,
  changes,
}: {
  readonly rule: RuleAlert;
  readonly changes: readonly AlertChange[];
}) => {
  const { name, filters, warnings } = rule;
  const preview = useAlertPreview(canWrite.value ? { ...settingsOf(formOf(rule)), name, filters } : null);
  return (
    <>
      <AlertFacts rule={rule} />
      <AlertWarnings warnings={warnings} />
      <FirstCheck window={rule.window} rule={rule} />
      {preview.value !== null && <Receivers receivers={preview.value.receivers} />}
      <SendTest rule={rule} />
      <h2>Values</h2>
      {canWrite.value && (
        <>
          <PreviewSummary rule={rule} preview={preview} />
          <p class="faint">
            Computed from stored traces and scores with the rule's present settings, in windows that end now. The
            history has the numbers that decided.
          </p>
        </>
      )}
      {(!canWrite.value || preview.error !== null) && (
        <ValueChart
          points={changes.toReversed().map(({ transition, window_end, value, reference }) => ({
            window_end,
            value,
            reference,
            state: transition === "cleared" ? "OK" : "ALERT",
          }))}
          unit={valueUnit(rule.signal)}
          referenceTitle={baselineNames[rule.compare_with]}
          label={`${signalText(rule)} when the state changed`}
        />
      )}
    </>
  );
};
