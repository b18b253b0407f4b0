import { useSignal } from "@preact/signals";
import { bindText } from "../parts/form-bindings.ts";
import { useEffect } from "preact/hooks";
import type { CustomMetricPreview, TraceListItem } from "../../client/interface.ts";
import { useLoad } from "../use-load.ts";
import { useAction } from "../parts/action.tsx";
import { Select } from "../parts/controls.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { hrefTo } from "../route.ts";
import { client } from "../sign-in.ts";
import { count, dollars, plural, shortTime, truncateWithEllipsis } from "../format.ts";
import { previewText } from "../traces/input-preview.ts";
import { parseForm, type MetricForm } from "./form.ts";
import { JudgeMessages } from "./judge-messages.tsx";
import { PreviewResult } from "./preview-result.tsx";
import { typingPause } from "./use-dry-run.ts";

type Item = CustomMetricPreview["items"][number];

/** Returns the estimated cost of a preview, as text. */
const costText = (item: Item | undefined): string => {
  if (item === undefined) return "";
  if (!item.found) return "Trace not found.";
  const { estimated_cost_usd: cost, messages } = item;
  if (messages.length === 0) return "No judge call: free.";
  const characters = messages.reduce((sum, { system, user }) => sum + system.length + user.length, 0);
  const price = cost === null ? "unknown cost" : `about ${dollars(cost)}`;
  return `${plural(messages.length, "prompt")} of ${count(characters)} characters, ${price}`;
};

/** Value of the picker for a trace whose id is typed. */
const otherTrace = "other";

/** Number of traces in the picker. */
const maxRecentTraces = 30;

/** Returns the title of a trace in the picker: its start, its name and the beginning of its input. */
const traceTitle = ({ name, started_at: startedAt, input_preview: inputPreview }: TraceListItem): string => {
  const input = truncateWithEllipsis(previewText(inputPreview), 60);
  return `${shortTime(startedAt)} ${name}${input === "" ? "" : `: ${input}`}`;
};

/** Preview of an unsaved metric on one trace: first the estimated cost, then the score, which is not stored. */
export const Preview = ({
  form,
  names,
  isReady,
}: {
  readonly form: MetricForm;
  readonly names: readonly string[];
  /** True if the service accepted the metric in a dry run. */
  readonly isReady: boolean;
}) => {
  const [choice, otherId, result] = [useSignal(""), useSignal(""), useSignal<Item | null>(null)];
  const { perform, isBusy, errorAlert } = useAction();
  const recentTraces = useLoad(
    async (signal) =>
      (await client.value.listTraces({ query: { limit: maxRecentTraces, include: ["preview"] } }, { signal })).items,
    [],
  );
  const traces = recentTraces.value ?? [];
  const isOther = choice.value === otherTrace || (traces.length === 0 && !recentTraces.isLoading);
  const id = (isOther ? otherId.value.trim() : choice.value || traces[0]?.trace_id) || null;
  const { name, target_type, kind, description } = form;
  const metric = { name, target_type, kind, ...parseForm(form, names).parts, description };
  const body = isReady && id !== null ? { metric, trace_ids: [id] } : null;
  const bodyJson = JSON.stringify(body);
  const estimatedJson = useSignal(bodyJson);
  useEffect(() => {
    const timer = setTimeout(() => (estimatedJson.value = bodyJson), 2 * typingPause);
    return () => clearTimeout(timer);
  }, [bodyJson]);
  const isEstimateCurrent = estimatedJson.value === bodyJson;
  const estimate = useLoad(
    async (signal) =>
      body === null || !isEstimateCurrent
        ? null
        : (await client.value.previewOwnMetric({ query: { dry_run: true }, body }, { signal })).items[0],
    [estimatedJson.value],
  );
  const missingTraceText = (): string => {
    if (recentTraces.isLoading) return "Loading traces …";
    if (recentTraces.value?.length === 0) return "There is no trace yet.";
    return "Enter the id of a trace.";
  };
  const runPreview = (): Promise<void> =>
    perform(async () => {
      if (body === null) return;
      result.value = null;
      result.value = (await client.value.previewOwnMetric({ body })).items[0] ?? null;
    });
  const options: Readonly<Record<string, string>> = {
    ...Object.fromEntries(traces.map((trace) => [trace.trace_id, traceTitle(trace)])),
    ...(recentTraces.isLoading && { "": "Loading traces …" }),
    [otherTrace]: "Another trace, by its id",
  };
  return (
    <section class="part" aria-label="Preview">
      <h2>Preview</h2>
      <p class="faint">Evaluates a trace as a run would. Nothing is stored; its cost counts toward the ceilings.</p>
      <div class="part-row">
        <div class="field">
          <label>
            Trace
            <Select
              value={isOther ? otherTrace : (id ?? "")}
              options={options}
              onSelect={(value) => (choice.value = value)}
            />
          </label>
        </div>
        {isOther && (
          <div class="field">
            <label>
              Trace id
              <input dir="auto" {...bindText(otherId)} />
            </label>
          </div>
        )}
        {id !== null && (
          <a href={hrefTo("traces", id)} target="_blank" rel="opener">
            Open the trace
          </a>
        )}
      </div>
      <ErrorAlert {...recentTraces} />
      <ErrorAlert {...estimate} />
      {errorAlert}
      <div class="buttons">
        <button
          type="button"
          disabled={isBusy || !isEstimateCurrent || estimate.value?.found !== true}
          onClick={() => void runPreview()}
        >
          Run preview
        </button>
        <span class="estimate" aria-live="polite">
          {isBusy && "Judging …"}
          {!isBusy && body === null && (id === null ? missingTraceText() : "Correct the invalid fields first.")}
          {!isBusy && body !== null && (!isEstimateCurrent || estimate.isLoading) && "Estimating …"}
          {!isBusy && isEstimateCurrent && !estimate.isLoading && costText(estimate.value ?? undefined)}
        </span>
      </div>
      {result.value !== null && <PreviewResult item={result.value} />}
      {result.value === null && <JudgeMessages messages={estimate.value?.messages ?? []} title="Judge prompt" />}
    </section>
  );
};
