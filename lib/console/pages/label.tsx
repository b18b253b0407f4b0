import { useSignal } from "@preact/signals";
import type { ComponentProps } from "preact";
import { useRef } from "preact/hooks";
import type { LabelQueuePlace } from "../../client/interface.ts";
import { LabelForm, type Drafts } from "../labels/label-form.tsx";
import { SetProgress } from "../labels/set-progress.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { hrefTo } from "../route.ts";
import { useShortcuts } from "../shortcuts.ts";
import { client, isLabeller } from "../sign-in.ts";
import { SpanExcerpt, TraceReading } from "../trace/trace-reading.tsx";
import { useLoad } from "../use-load.ts";

/** Milliseconds between requests for an item while others hold all. */
const pollInterval = 10_000;

const reasons = {
  done: "Done: every trace of this set that has a place left has your label.",
  all_leased: "Somebody else holds the rest. A trace appears here when it becomes free.",
} as const;

/** Number of labelled items that a tab keeps, to lead back to them: each has its trace. */
const maxLabelled = 20;

type Place = { readonly [Key in "item" | "trace"]: NonNullable<LabelQueuePlace[Key]> };

type ItemProps = Place & ComponentProps<typeof LabelForm>;

/** A trace without scores, beside the form for its labels. */
const ItemToLabel = ({ trace, ...form }: ItemProps) => {
  const selected = useSignal<string | null>(null);
  const span = trace.spans.find(({ span_id: id }) => id === selected.value);
  return (
    <div class="columns">
      <TraceReading trace={trace} selectedId={selected.value} onSelect={(id) => (selected.value = id)}>
        {form.set.blind === null && !isLabeller.value && (
          <a href={hrefTo("traces", trace.trace_id)}>Open the trace with its scores</a>
        )}
      </TraceReading>
      <section class="why" aria-label="Labels">
        <LabelForm {...form} />
        {span !== undefined && <SpanExcerpt span={span} />}
      </section>
    </div>
  );
};

/** Page that shows a person one trace of a label set after the other, without scores, and takes their labels. */
export const LabelPage = ({ id: set_id }: { readonly id: string }) => {
  const path = { set_id };
  const set = useLoad((signal) => client.value.getLabelSet({ path }, { signal }), []);
  const next = useLoad(
    () => client.value.takeNextLabelItem({ path }),
    [],
    pollInterval,
    (place) => place?.reason === "all_leased",
  );
  const { item, trace, reason = null, set: progress } = next.value ?? {};
  const drafts = useRef<Drafts>(new Map());
  const labelled = useSignal<readonly Place[]>([]);
  // Id of the labelled item that the person went back to; null for the queue's item.
  const shownId = useSignal<string | null>(null);
  const indexOf = (id: string | null): number => labelled.value.findIndex((each) => each.item.id === id);
  const at = shownId.value === null ? labelled.value.length : indexOf(shownId.value);
  const earlier = labelled.value[at];
  const show = (index: number): unknown => (shownId.value = labelled.value[Math.max(0, index)]?.item.id ?? null);
  const place = earlier ?? (!next.isLoading && item && trace ? { item, trace } : null);
  const onSaved = (saved: Place): void => {
    // The person may have gone elsewhere while the labels were sent.
    if (indexOf(saved.item.id) >= 0) return void (shownId.value === saved.item.id && show(at + 1));
    labelled.value = [...labelled.value, saved].slice(-maxLabelled);
    next.reload();
  };
  const ways = [["Previous", "p", at - 1] as const, ["Forward", "f", at + 1] as const];
  useShortcuts(Object.fromEntries(ways.map(([title, key, to]) => [key, [() => show(to), title.toLowerCase()]])));
  const steps = ways
    .filter(([, , to]) => to >= 0 && to <= labelled.value.length)
    .map(([title, key, to]) => (
      <button key={key} type="button" onClick={() => show(to)}>
        {title} <kbd>{key}</kbd>
      </button>
    ));
  return (
    <main class="labelling">
      <header class="title">
        <h1 dir="auto">{set.value?.name ?? "Label"}</h1>
        <p class="facts" role="status">
          {progress && <SetProgress {...progress} />}
          {progress && `${progress.own_count} by you`}
        </p>
        <a href={hrefTo("label-sets")}>All label sets</a>
      </header>
      <ErrorAlert {...set} />
      <ErrorAlert {...next} />
      {next.isLoading && earlier === undefined && <LoadingNote>Taking a trace</LoadingNote>}
      {reason !== null && earlier === undefined && (
        <div class="empty">
          <p role="status">{reasons[reason]}</p>
          <button type="button" onClick={next.reload}>
            Look again
          </button>{" "}
          {steps}
        </div>
      )}
      {set.value && place && (
        <ItemToLabel
          key={place.item.id}
          {...place}
          set={set.value}
          drafts={drafts.current}
          isLabelled={earlier !== undefined}
          onNext={next.reload}
          onSaved={() => onSaved(place)}
        >
          {steps}
        </ItemToLabel>
      )}
    </main>
  );
};
