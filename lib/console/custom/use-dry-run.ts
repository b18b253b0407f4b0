import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { CustomMetricLintWarning } from "../../client/interface.ts";
import { client, signOutIfUnauthorized } from "../sign-in.ts";
import { fieldProblems } from "../parts/field-notes.tsx";
import type { Problem } from "../parts/problem.ts";
import { emptyMetricForm, parseForm, type MetricForm } from "./form.ts";

/** Result of a dry run: the service's validation errors and lint warnings of an unsaved metric, and what its scores mean. */
export interface DryRunResult {
  readonly problems: readonly Problem[];
  readonly remarks: readonly CustomMetricLintWarning[];
  /** Meaning of each score; empty until the service accepts the metric. */
  readonly reads_as: string;
  /** Names of all statements, including those derived from the levels. */
  readonly names: readonly string[];
  readonly error: unknown;
  readonly isLoading: boolean;
}

/** Milliseconds after the last keystroke until the form is checked. */
export const typingPause = 500;

/** Fills an empty name and description, so that a dry run checks the rest of the form. */
export const withPlaceholders = (form: MetricForm): MetricForm => ({
  ...form,
  name: form.name.trim() === "" ? "unnamed" : form.name,
  description: form.description.trim() === "" ? "…" : form.description,
});

const untouchedJson = JSON.stringify(withPlaceholders(emptyMetricForm));

/** Problem of an untouched form. */
const missingStatement: Problem = { field: "statements.0.text", message: "A statement needs a text." };

/** Requests a dry run of creating a metric or a new version; returns JSON errors of the form without a request. */
const requestDryRun = async (form: MetricForm, names: readonly string[], isNew: boolean, signal: AbortSignal) => {
  const { parts, problems } = parseForm(form, names);
  if (problems.length > 0) return { problems };
  // The service would refuse an untouched form, which the browser reports as a failed request.
  if (isNew && JSON.stringify(form) === untouchedJson) return { problems: [missingStatement] };
  const { name, target_type, kind, description } = form;
  const query = { dry_run: true } as const;
  return isNew
    ? await client.value.createOwnMetric(
        { query, body: { name, target_type, kind, ...parts, description } },
        { signal },
      )
    : await client.value.updateOwnMetric({ path: { metric_name: name }, query, body: parts }, { signal });
};

/** Checks a form by a dry run 500 ms after each change. @param names statement names until the first result. */
export const useDryRun = (
  form: MetricForm,
  isNew: boolean,
  names: readonly string[],
): DryRunResult & { readonly reload: () => void } => {
  const state = useSignal<DryRunResult>({
    problems: [],
    remarks: [],
    reads_as: "",
    names,
    error: null,
    isLoading: true,
  });
  const reloadCount = useSignal(0);
  const formJson = JSON.stringify(form);
  useEffect(() => {
    const abort = new AbortController();
    const check = async (): Promise<void> => {
      const previousState = state.peek();
      try {
        const result = await requestDryRun(withPlaceholders(form), previousState.names, isNew, abort.signal);
        if (abort.signal.aborted) return;
        state.value =
          "problems" in result
            ? { ...previousState, problems: result.problems, error: null, isLoading: false }
            : {
                problems: [],
                remarks: result.remarks,
                reads_as: result.reads_as,
                names: result.rubric?.statements.map(({ name }) => name) ?? [],
                error: null,
                isLoading: false,
              };
      } catch (error) {
        if (abort.signal.aborted) return;
        signOutIfUnauthorized(error);
        const problems = fieldProblems(error);
        state.value = {
          ...previousState,
          problems: problems ?? [],
          error: problems === null ? error : null,
          isLoading: false,
        };
      }
    };
    state.value = { ...state.peek(), isLoading: true };
    const timer = setTimeout(() => void check(), typingPause);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [formJson, isNew, reloadCount.value]);
  return { ...state.value, reload: () => (reloadCount.value += 1) };
};
