import { useSignal } from "@preact/signals";
import { writes } from "../parts/fields.ts";
import { useEffect } from "preact/hooks";
import type { CustomMetricPreview } from "../../client/interface.ts";
import { useLoad } from "../load.ts";
import { useAct } from "../parts/act.tsx";
import { Trouble } from "../parts/trouble.tsx";
import { hrefTo } from "../place.ts";
import { client } from "../sign-in.ts";
import { count, dollars, plural } from "../words.ts";
import { partsOf, type MetricForm } from "./form.ts";
import { Messages } from "./messages.tsx";
import { Previewed } from "./previewed.tsx";
import { pause } from "./tried.ts";

type Item = CustomMetricPreview["items"][number];

/** What trying it is likely to come to, in words. */
const costOf = (item: Item | undefined): string => {
  if (item === undefined) return "";
  if (!item.found) return "The project has no such trace.";
  const { estimated_cost_usd: cost, messages } = item;
  if (messages.length === 0) return "No judge is asked: it is free.";
  const characters = messages.reduce((sum, { system, user }) => sum + system.length + user.length, 0);
  const price = cost === null ? "at a price that is not known" : `about ${dollars(cost)}`;
  return `${plural(messages.length, "question")} of ${count(characters)} characters, ${price}`;
};

/** A metric tried on a trace of one's choice: what it would cost first, and nothing of it is stored but that. */
export const Preview = ({
  form,
  names,
  isReady,
}: {
  readonly form: MetricForm;
  readonly names: readonly string[];
  /** Whether the service takes the metric as it is. */
  readonly isReady: boolean;
}) => {
  const [chosen, made] = [useSignal(""), useSignal<Item | null>(null)];
  const { act, isBusy, trouble } = useAct();
  const newest = useLoad(
    async (signal) => (await client.value.listTraces({ query: { limit: 1 } }, { signal })).items[0]?.trace_id ?? null,
    [],
  );
  const id = chosen.value.trim() === "" ? newest.value : chosen.value.trim();
  const { name, target_type, kind, description } = form;
  const metric = { name, target_type, kind, ...partsOf(form, names).parts, description };
  const body = isReady && id !== null ? { metric, trace_ids: [id] } : null;
  const written = JSON.stringify(body);
  const settled = useSignal(written);
  useEffect(() => {
    const timer = setTimeout(() => (settled.value = written), 2 * pause);
    return () => clearTimeout(timer);
  }, [written]);
  const isSettled = settled.value === written;
  const estimate = useLoad(
    async (signal) =>
      body === null || !isSettled
        ? null
        : (await client.value.previewOwnMetric({ query: { dry_run: true }, body }, { signal })).items[0],
    [settled.value],
  );
  const attempt = (): Promise<void> =>
    act(async () => {
      if (body === null) return;
      made.value = null;
      made.value = (await client.value.previewOwnMetric({ body })).items[0] ?? null;
    });
  return (
    <section class="part" aria-label="Try it">
      <h2>Try it</h2>
      <p class="faint">Judges a trace as a run would. Nothing is stored; what it costs counts toward the ceilings.</p>
      <div class="part-row">
        <div class="field">
          <label>
            Id of a trace
            <input
              dir="auto"
              placeholder={newest.value === null ? "" : `the newest: ${newest.value}`}
              {...writes(chosen)}
            />
          </label>
        </div>
        {id !== null && (
          <a href={hrefTo("traces", id)} target="_blank" rel="opener">
            The trace, in another tab
          </a>
        )}
      </div>
      <Trouble {...newest} />
      <Trouble {...estimate} />
      {trouble}
      <div class="buttons">
        <button
          type="button"
          disabled={isBusy || !isSettled || estimate.value?.found !== true}
          onClick={() => void attempt()}
        >
          Try it
        </button>
        <span class="estimate" aria-live="polite">
          {isBusy && "Judging …"}
          {!isBusy && body === null && (id === null ? "There is no trace yet." : "Not while a field is wrong.")}
          {!isBusy && body !== null && (!isSettled || estimate.isLoading) && "Reckoning …"}
          {!isBusy && isSettled && !estimate.isLoading && costOf(estimate.value ?? undefined)}
        </span>
      </div>
      {made.value !== null && <Previewed of={made.value} />}
      {made.value === null && (
        <Messages of={estimate.value?.messages ?? []} title="What the judge is sent, word for word" />
      )}
    </section>
  );
};
