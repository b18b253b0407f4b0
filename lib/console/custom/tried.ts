import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError } from "../../client/errors.ts";
import type { CustomMetricRemark } from "../../client/interface.ts";
import { client, notice } from "../sign-in.ts";
import { partsOf, type MetricForm, type Problem } from "./form.ts";

/** What the service says of a metric that is being written. */
export interface Tried {
  readonly problems: readonly Problem[];
  readonly remarks: readonly CustomMetricRemark[];
  /** Names of its statements, those that follow from its levels too. */
  readonly names: readonly string[];
  readonly error: unknown;
  readonly isAsking: boolean;
}

/** Milliseconds without a key before the service is asked. */
export const pause = 500;

/** What of a refusal stands at fields; null where it is none of that kind. */
export const problemsOf = (error: unknown): readonly Problem[] | null =>
  error instanceof ApiError && error.status === 422 && error.problems.length > 0
    ? error.problems.map(({ field, message }) => ({ field: field.split(" -> ").join("."), message }))
    : null;

/** What is not written yet is not held against what is. */
export const provisional = (form: MetricForm): MetricForm => ({
  ...form,
  name: form.name.trim() === "" ? "unnamed" : form.name,
  description: form.description.trim() === "" ? "…" : form.description,
});

/** Makes the metric, or a new version of it, or says only what would become of it. */
const dryRunOf = async (form: MetricForm, names: readonly string[], isNew: boolean, signal: AbortSignal) => {
  const { parts, problems } = partsOf(form, names);
  if (problems.length > 0) return { problems };
  const { name, target_type, kind, description } = form;
  const query = { dry_run: true } as const;
  return isNew
    ? await client.value.createOwnMetric(
        { query, body: { name, target_type, kind, ...parts, description } },
        { signal },
      )
    : await client.value.updateOwnMetric({ path: { metric_name: name }, query, body: parts }, { signal });
};

/** What the service says of what is written, a moment after each key. */
export const useTried = (
  form: MetricForm,
  isNew: boolean,
  names: readonly string[],
): Tried & { readonly again: () => void } => {
  const state = useSignal<Tried>({ problems: [], remarks: [], names, error: null, isAsking: true });
  const turn = useSignal(0);
  const written = JSON.stringify(form);
  useEffect(() => {
    const ending = new AbortController();
    const ask = async (): Promise<void> => {
      const before = state.peek();
      try {
        const said = await dryRunOf(provisional(form), before.names, isNew, ending.signal);
        if (ending.signal.aborted) return;
        state.value =
          "problems" in said
            ? { ...before, problems: said.problems, error: null, isAsking: false }
            : {
                problems: [],
                remarks: said.remarks,
                names: said.rubric?.statements.map(({ name }) => name) ?? [],
                error: null,
                isAsking: false,
              };
      } catch (error) {
        if (ending.signal.aborted) return;
        notice(error);
        const problems = problemsOf(error);
        state.value = {
          ...before,
          problems: problems ?? [],
          error: problems === null ? error : null,
          isAsking: false,
        };
      }
    };
    state.value = { ...state.peek(), isAsking: true };
    const timer = setTimeout(() => void ask(), pause);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [written, isNew, turn.value]);
  return { ...state.value, again: () => (turn.value += 1) };
};
