import type { AlertForm } from "./form.ts";
import { FieldNotes, noteAttributes, type NotesByField } from "../custom/field-notes.tsx";
import { textFields } from "../custom/text-field.tsx";
import { figures, isScoreSignal } from "../../domain/alerts/rule.ts";
import { Checkbox, Select } from "../parts/controls.tsx";
import { withCondition } from "./form.ts";
import { baselineTitles, noDataTitles, signalTitles, thresholdUnit, windowTitles } from "./words.ts";

const unitTexts = {
  score: "",
  share: ", in %",
  milliseconds: ", in ms",
  dollars: ", in US dollars",
  count: "",
} as const;

/** Returns the label of the threshold, with its unit. */
const thresholdLabel = (form: AlertForm): string => {
  const unit = unitTexts[thresholdUnit(form)];
  if (form.compare_with !== "threshold") return `Largest change that is no alert${unit}`;
  return `${figures[form.signal].worse === "higher" ? "Alert above" : "Alert below"}${unit}`;
};

/** Form fields of a rule without its name and filters. @param metrics proposed metrics; another score can be typed. */
export const AlertFields = ({
  form,
  onChange,
  notes,
  metrics,
}: {
  readonly form: AlertForm;
  readonly onChange: (form: AlertForm) => void;
  readonly notes: NotesByField;
  readonly metrics: readonly string[];
}) => {
  const change = (part: Partial<AlertForm>): void => onChange({ ...form, ...part });
  const field = textFields(form, (name, text) => change({ [name]: text }), notes);
  return (
    <>
      <div class="part-row">
        <div class="field">
          <label>
            Signal
            <Select
              value={form.signal}
              options={signalTitles}
              onSelect={(signal) => onChange(withCondition(form, { signal }))}
            />
          </label>
        </div>
        {isScoreSignal(form.signal) && (
          <div class="field">
            <label>
              Metric or score name
              <input
                dir="auto"
                list="score-names"
                value={form.metric_name}
                onInput={({ currentTarget: { value } }) => change({ metric_name: value })}
                {...noteAttributes(notes, "metric_name")}
              />
            </label>
            <datalist id="score-names">
              {metrics.map((name) => (
                <option value={name} key={name} />
              ))}
            </datalist>
            <FieldNotes notes={notes} path="metric_name" />
          </div>
        )}
        {form.signal === "score_below" && field("below", "Counts scores below", { isShort: true })}
        <div class="field">
          <label>
            Window
            <Select value={form.window} options={windowTitles} onSelect={(window) => change({ window })} />
          </label>
        </div>
      </div>
      <div class="part-row">
        <div class="field">
          <label>
            Compare with
            <Select
              value={form.compare_with}
              options={baselineTitles}
              onSelect={(compare_with) => onChange(withCondition(form, { compare_with }))}
            />
          </label>
        </div>
        {field("threshold", thresholdLabel(form))}
        {field("minimum_count", isScoreSignal(form.signal) ? "Scores needed in a window" : "Traces needed in a window")}
        <div class="field">
          <label>
            Too little data means
            <Select value={form.no_data} options={noDataTitles} onSelect={(no_data) => change({ no_data })} />
          </label>
        </div>
      </div>
      <div class="part-row">
        <div class="field">
          <label>
            Severity
            <Select
              value={form.severity}
              options={{ info: "info", warning: "warning", critical: "critical" }}
              onSelect={(severity) => change({ severity })}
            />
          </label>
        </div>
        <div class="field">
          <label>
            Remind of a lasting alert
            <Select
              value={form.repeat_every}
              options={{
                "": "never",
                ...Object.fromEntries(Object.entries(windowTitles).map(([key, title]) => [key, `every ${title}`])),
              }}
              onSelect={(repeat_every) => change({ repeat_every })}
            />
          </label>
        </div>
        <div>
          <Checkbox isChecked={form.significance} onChange={(significance) => change({ significance })}>
            only changes that are significant at 99.5 %
          </Checkbox>
          {form.signal === "score_below" && (
            <Checkbox isChecked={form.announce_scores} onChange={(announce_scores) => change({ announce_scores })}>
              an event for each score below the value, too
            </Checkbox>
          )}
          <p class="faint">An alert clears after two windows in a row without one.</p>
        </div>
      </div>
    </>
  );
};
