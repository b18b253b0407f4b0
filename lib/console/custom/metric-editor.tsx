import { useSignal, type Signal } from "@preact/signals";
import { handleSubmit } from "../parts/form-bindings.ts";
import type { CustomMetric } from "../../client/interface.ts";
import { Select } from "../parts/controls.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { client, signOutIfUnauthorized } from "../sign-in.ts";
import { plural } from "../format.ts";
import { parseForm, statementNames, targetTypeTitles, type MetricForm } from "./form.ts";
import { JudgeFields } from "./judge-fields.tsx";
import { AdvancedFields } from "./advanced-fields.tsx";
import { FieldNotes, fieldProblems } from "../parts/field-notes.tsx";
import type { Problem } from "../parts/problem.ts";
import { advancedNoteCounts, groupNotes } from "./metric-notes.ts";
import { ScoreMeanings } from "./metric-definition.tsx";
import { Preview } from "./preview.tsx";
import { textFields } from "../parts/text-field.tsx";
import { withPlaceholders, useDryRun, type DryRunResult } from "./use-dry-run.ts";

/** Kinds of custom metrics with their descriptions. */
const kinds = {
  judge: "judge: a judge answers statements",
  check: "check: conditions on a trace, free",
  fold: "aggregate: of a session's trace scores, free",
} as const;

/** Returns the value of a form field by its path, such as `statements.0.text`; undefined if there is none. */
const valueAt = (form: MetricForm, path: string): unknown => {
  let value: unknown = form;
  for (const part of path.split(".")) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Object.entries(value).find(([name]) => name === part)?.[1];
  }
  return value;
};

/** True if a problem concerns an empty text field, which is reported as missing and not as an error until the form is saved. */
const isBlank = (form: MetricForm, { field }: Problem): boolean => {
  const value = valueAt(form, field);
  return typeof value === "string" && value.trim() === "";
};

/** Returns a field path as text with 1-based numbers: `statements.0.text` as `statements 1: text`. */
const fieldLabel = (field: string): string =>
  field.replace(/\.(\d+)\b/u, (_, at: string) => ` ${Number(at) + 1}:`).replaceAll(".", " ");

/** Status line of the editor: checking, invalid fields, missing fields or lint warnings. */
const EditorStatus = ({
  dryRun: { isLoading, error, remarks },
  invalidCount,
  missingFields,
}: {
  readonly dryRun: DryRunResult;
  readonly invalidCount: number;
  /** Paths of the fields that are still empty. */
  readonly missingFields: readonly string[];
}) => {
  const statusText = (): string => {
    if (isLoading) return "Checking …";
    if (invalidCount > 0) return `✕ ${plural(invalidCount, "invalid field")}.`;
    if (missingFields.length > 0) return `Not filled in yet: ${missingFields.map(fieldLabel).join(", ")}.`;
    if (error !== null) return "";
    return remarks.length === 0 ? "✓ No warnings." : `! ${plural(remarks.length, "warning")}.`;
  };
  return (
    <p role="status" class="faint">
      {statusText()}
    </p>
  );
};

/** Editor of a custom metric, which checks each change by a dry run. */
export const MetricEditor = ({
  draft,
  base,
  onSave,
  onDiscard,
}: {
  readonly draft: Signal<MetricForm>;
  /** Metric to change; null to create one. */
  readonly base: CustomMetric | null;
  readonly onSave: (metric: CustomMetric) => void;
  readonly onDiscard: () => void;
}) => {
  const form = draft.value;
  const dryRun = useDryRun(form, base === null, base?.rubric?.statements.map(({ name }) => name) ?? []);
  const [rejection, error, isBusy] = [
    useSignal<{ readonly problems: readonly Problem[]; readonly form: MetricForm } | null>(null),
    useSignal<unknown>(null),
    useSignal(false),
  ];
  const change = (part: Partial<MetricForm>): void => {
    draft.value = { ...draft.value, ...part };
  };
  const blank = dryRun.problems.filter((problem) => isBlank(form, problem));
  // The problems of a rejected save are shown until the next change.
  const isRejected = rejection.value?.form === form;
  const problems = isRejected
    ? (rejection.value?.problems ?? [])
    : dryRun.problems.filter((problem) => !blank.includes(problem));
  const notes = groupNotes(form, problems, dryRun.remarks);
  const isOpened = useSignal(false);
  const isAdvanced = isOpened.value || advancedNoteCounts(notes).problems > 0;
  const field = textFields(form, (name, text) => change({ [name]: text }), notes);
  const save = async (): Promise<void> => {
    [error.value, rejection.value, isBusy.value] = [null, null, true];
    const { parts, problems: invalidJson } = parseForm(form, dryRun.names);
    const { name, target_type, kind, description } = form;
    try {
      if (invalidJson.length > 0) rejection.value = { problems: invalidJson, form };
      else if (base === null)
        onSave(await client.value.createOwnMetric({ body: { name, target_type, kind, ...parts, description } }));
      else onSave(await client.value.updateOwnMetric({ path: { metric_name: base.name }, body: parts }));
    } catch (thrown) {
      signOutIfUnauthorized(thrown);
      const fieldErrors = fieldProblems(thrown);
      if (fieldErrors === null) error.value = thrown;
      else rejection.value = { problems: fieldErrors, form };
    }
    isBusy.value = false;
  };
  return (
    <form class="editor" aria-label={base === null ? "New metric" : `Edit ${base.name}`} onSubmit={handleSubmit(save)}>
      <FieldNotes notes={notes} path="" />
      <div class="part-row">
        {field("name", "Name", { hint: "polite_refusal", isDisabled: base !== null })}
        <div class="field">
          <label>
            Target
            <Select
              value={form.target_type}
              options={targetTypeTitles}
              isDisabled={base !== null}
              onSelect={(target_type) => change({ target_type })}
            />
          </label>
          <FieldNotes notes={notes} path="target_type" />
        </div>
        <div class="field">
          <label>
            Kind
            <Select
              value={form.kind}
              options={kinds}
              isDisabled={base !== null}
              onSelect={(kind) => change({ kind })}
            />
          </label>
          <FieldNotes notes={notes} path="kind" />
        </div>
      </div>
      {field("description", "Description: what is evaluated, in one sentence")}
      {form.kind === "judge" ? (
        <JudgeFields form={form} onChange={change} notes={notes} isDetailed={isAdvanced} />
      ) : (
        field(form.kind, form.kind === "check" ? "Condition, as JSON" : "Aggregate, as JSON", {
          lines: 8,
          isCode: true,
          hint:
            form.kind === "check"
              ? '{"all": [{"type": "contains", "text": "order"}]}'
              : '{"over": "task_completion", "by": "min"}',
        })
      )}
      <AdvancedFields
        form={form}
        onChange={change}
        notes={notes}
        names={form.statements.length > 0 ? statementNames(form) : dryRun.names}
        isOpen={isAdvanced}
        onToggle={(isOpen) => (isOpened.value = isOpen)}
      />
      {dryRun.reads_as !== "" && <ScoreMeanings text={dryRun.reads_as} />}
      {form.target_type === "TRACE" && (
        <Preview
          form={withPlaceholders(form)}
          names={dryRun.names}
          isReady={!dryRun.isLoading && dryRun.error === null && dryRun.problems.length === 0}
        />
      )}
      <div class="editor-end">
        <EditorStatus
          dryRun={dryRun}
          invalidCount={dryRun.problems.length - blank.length}
          missingFields={[
            ...(["name", "description"] as const).filter((field) => form[field].trim() === ""),
            ...blank.map(({ field }) => field),
          ]}
        />
        <ErrorAlert {...dryRun} />
        <ErrorAlert error={error.value} reload={() => void save()} isSeparate />
        {isRejected && (
          <p role="alert" class="bad">
            ✕ Not saved: {problems.map(({ field }) => fieldLabel(field)).join(", ")}. See the errors at the fields.
          </p>
        )}
        <div class="buttons">
          <button type="submit" class="main" disabled={isBusy}>
            {base === null ? "Create metric" : `Create version ${(base.versions.at(-1)?.version ?? base.version) + 1}`}
          </button>
          <button type="button" class="quiet" onClick={onDiscard}>
            {base === null ? "Discard" : "Discard changes"}
          </button>
        </div>
      </div>
    </form>
  );
};
