import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { AlertInput } from "../../client/interface.ts";
import { FieldNotes, fieldProblems, type NotesByField } from "../parts/field-notes.tsx";
import { textFields } from "../parts/text-field.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { handleSubmit } from "../parts/form-bindings.ts";
import { hrefTo, route, useNavigate } from "../route.ts";
import { client, signOutIfUnauthorized } from "../sign-in.ts";
import { FilterChips } from "../traces/filter-chips.tsx";
import { otherFilters } from "../traces/filter-query.ts";
import { showFilters } from "../traces/show-filters.ts";
import { filterNames, parseRunFilters } from "../traces/trace-filters.ts";
import { useLoad } from "../use-load.ts";
import { AlertFields } from "./alert-fields.tsx";
import { AlertWarnings } from "./alert-warnings.tsx";
import { alertList } from "./alert-list.ts";
import { emptyForm, formOf, settingsOf } from "./form.ts";
import { FirstCheck, Receivers } from "./receivers.tsx";
import { PreviewSummary, useAlertPreview } from "./preview.tsx";
import { conditionText, type RuleAlert } from "./words.ts";

/** Milliseconds after the last change until the preview is computed. */
const typingPause = 800;

/** Filters that rules cannot have: scores of a trace change after it was counted, and time passes. */
const excludedFilters: ReadonlySet<string> = new Set(["q", "score", "no_score", "started_after", "started_before"]);

const ruleFilters = filterNames.filter((name) => !excludedFilters.has(name));

/** Fields of the form that show the service's errors; others are shown at its end. */
const fieldNames: ReadonlySet<string> = new Set([
  "filters",
  "metric_name",
  "below",
  "threshold",
  "minimum_count",
  "name",
]);

/** Groups errors of the service by the form's fields; those of filters together. */
const notesOf = (error: unknown): NotesByField => {
  const notes = (fieldProblems(error) ?? []).map(({ field, message }) => ({
    field,
    kind: "problem" as const,
    message,
  }));
  return Map.groupBy(notes, ({ field }) => {
    const [name = ""] = field.split(".");
    return fieldNames.has(name) ? name : "";
  });
};

/** Form of an alert rule, with a preview on past data. @param base rule to change; null to create one. */
export const AlertEditor = ({ base }: { readonly base: RuleAlert | null }) => {
  const form = useSignal(base === null ? emptyForm : formOf(base));
  const navigate = useNavigate();
  const checkedRule = useSignal<AlertInput | null>(null);
  const [rejection, isBusy] = [
    useSignal<{ readonly body: string; readonly error: unknown } | null>(null),
    useSignal(false),
  ];
  const metrics = useLoad((signal) => client.value.listTraceMetrics(undefined, { signal }), []);
  // The filters lie in the address, as those of the list of traces.
  useEffect(() => {
    if (base !== null) showFilters(base.filters);
  }, []);
  const { name: typedName, ...settings } = settingsOf(form.value);
  const hiddenFilters = otherFilters(base?.filters ?? {});
  const filters = { ...hiddenFilters, ...parseRunFilters(route.value.query) };
  const name = typedName === "" ? conditionText(settings) : typedName;
  const body: AlertInput = { ...settings, filters, name };
  const [bodyJson, conditionJson] = [JSON.stringify(body), JSON.stringify([settings, filters])];
  useEffect(() => {
    const timer = setTimeout(() => (checkedRule.value = { ...settings, filters, name: "preview" }), typingPause);
    return () => clearTimeout(timer);
  }, [conditionJson]);
  const preview = useAlertPreview(checkedRule.value);
  // A refusal is shown until the next change.
  const refusal = rejection.value !== null && rejection.value.body === bodyJson ? rejection.value.error : null;
  const isInvalid = fieldProblems(refusal) !== null;
  const notes = notesOf(refusal ?? preview.error);
  const field = textFields(form.value, (key, text) => (form.value = { ...form.value, [key]: text }), notes);
  const save = async (): Promise<void> => {
    if (isBusy.peek()) return;
    [rejection.value, isBusy.value] = [null, true];
    try {
      const { id } =
        base === null
          ? await client.value.createAlert({ body })
          : await client.value.updateAlert({ path: { alert_id: base.id }, body });
      alertList.value?.reload();
      navigate(hrefTo("alerts", id));
    } catch (error) {
      signOutIfUnauthorized(error);
      rejection.value = { body: bodyJson, error };
    }
    isBusy.value = false;
  };
  return (
    <form
      class="editor"
      aria-label={base === null ? "New alert rule" : `Edit ${base.name}`}
      onSubmit={handleSubmit(save)}
    >
      {field("name", "Name", { hint: conditionText(settings) })}
      <div class="filters" role="group" aria-label="Filters of traces">
        Traces <FilterChips names={ruleFilters} />
        {Object.entries(hiddenFilters).map(([key, value]) => (
          <span class="tag" dir="auto">
            {key} {JSON.stringify(value)}
          </span>
        ))}
      </div>
      <FieldNotes notes={notes} path="filters" />
      <AlertFields
        form={form.value}
        onChange={(changed) => (form.value = changed)}
        notes={notes}
        metrics={(metrics.value ?? []).map((metric) => metric.name)}
      />
      <section class="part preview" aria-label="Preview">
        <h2>Preview</h2>
        <AlertWarnings warnings={preview.value?.warnings ?? []} />
        <PreviewSummary rule={settings} preview={preview} />
        {base === null && <FirstCheck window={settings.window} rule={null} />}
        {preview.value !== null && <Receivers receivers={preview.value.receivers} />}
      </section>
      <div class="editor-end">
        <ErrorAlert error={isInvalid ? null : refusal} reload={() => void save()} />
        {isInvalid && (
          <>
            <FieldNotes notes={notes} path="" />
            <p role="alert" class="bad">
              ✕ Not saved. See the errors at the fields.
            </p>
          </>
        )}
        <div class="buttons">
          <button type="submit" class="main" disabled={isBusy.value}>
            {base === null ? "Create rule" : "Save changes"}
          </button>
          <a href={base === null ? hrefTo("alerts") : hrefTo("alerts", base.id)}>Cancel</a>
        </div>
      </div>
    </form>
  );
};
