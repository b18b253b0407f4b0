import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { TraceScore } from "../../client/interface.ts";
import { count } from "../format.ts";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";
import { hrefTo, navigate, route, updateQuery } from "../route.ts";
import { scoreQueryIn } from "../runs/score-query.ts";
import { useShortcuts } from "../shortcuts.ts";
import { client, signOutIfUnauthorized } from "../sign-in.ts";
import { SpanExcerpt, TraceReading } from "../trace/trace-reading.tsx";
import { LazyTraceScores } from "../trace/lazy-trace-scores.tsx";
import { useSpan, useTrace, type LoadedTrace } from "../trace/use-trace.ts";
import { useLoad } from "../use-load.ts";
import { usePagedList, type PagedList } from "../use-paged-list.ts";

/** A trace beside its scores, of which the queue's one comes first. */
const ScoreToReview = ({
  loaded,
  score,
  onReviewed,
}: {
  readonly loaded: LoadedTrace;
  readonly score: TraceScore;
  readonly onReviewed: () => void;
}) => {
  const { trace } = loaded;
  const selected = useSignal<string | null>(null);
  const select = (id: string | null): unknown => (selected.value = id);
  const span = useSpan(loaded, selected.value);
  // The queue's own score, also where another one of its name is newer.
  const scores = useLoad(
    async (signal) => {
      const [current, newest] = await Promise.all([
        client.value.getScore({ path: { score_id: score.id } }, { signal }),
        client.value.getTraceScores({ path: { score_id: trace.trace_id } }, { signal }),
      ]);
      return [...("trace_id" in current ? [current] : []), ...newest.filter(({ name }) => name !== current.name)];
    },
    [trace.trace_id, score.id],
  );
  return (
    <div class="columns">
      <TraceReading trace={trace} selectedId={selected.value} onSelect={select}>
        <a href={hrefTo("traces", trace.trace_id)}>Open the trace</a>
      </TraceReading>
      <section class="why" aria-label="Scores and span">
        <LazyTraceScores
          scores={scores}
          spans={trace.spans}
          onSelectSpan={select}
          first={score.name}
          onReviewed={(name) => name === score.name && onReviewed()}
        />
        {span.value !== null && <SpanExcerpt span={span.value} />}
      </section>
    </div>
  );
};

const Item = ({ score, onReviewed }: { readonly score: TraceScore; readonly onReviewed: () => void }) => {
  const { value: loaded, error, reload } = useTrace(score.trace_id);
  return (
    <>
      <ErrorAlert error={error} reload={reload} />
      {loaded === null && error === null && <LoadingNote>Loading the trace</LoadingNote>}
      {loaded !== null && <ScoreToReview loaded={loaded} score={score} onReviewed={onReviewed} />}
    </>
  );
};

/** Returns the page that a queue was opened from: its run, or the list of the same scores. */
const sourceOf = (query: Readonly<Record<string, string>>): readonly [title: string, href: string] => {
  const { eval_run_id: run, at: _, of: __, ...filters } = query;
  return run === undefined ? ["Scores", hrefTo("scores", null, filters)] : ["Run", hrefTo("runs", run)];
};

/** Furthest that corrections move a score in the order of a queue that is loaded again. */
const maxMoves = 100;

/** Returns the index of a score of a list, near the one that it had; that one if the score is not loaded. */
const indexOf = (list: PagedList<TraceScore>, at: number, id: string | undefined): number => {
  const places = Array.from({ length: maxMoves }, (_, moves) => [at - moves, at + moves]).flat();
  return id === undefined ? at : (places.find((place) => place >= 0 && list.at(place)?.id === id) ?? at);
};

/** Page that shows one score after the other beside its trace, the lowest first, to agree with or to correct. */
export const ReviewPage = () => {
  const { query } = route.value;
  const { at: _, of: id, ...rest } = query;
  const askedAt = Math.max(0, Math.trunc(Number(query["at"] ?? 0)) || 0);
  // The order stays as it was at the start, whatever is corrected on the way.
  const list = usePagedList<TraceScore>(
    (paging, signal) =>
      client.value.listTraceScores(
        { query: { status: "SUCCESS", ...scoreQueryIn(query), sort_by: "value", sort_order: "asc", ...paging } },
        { signal },
      ),
    JSON.stringify(rest),
    signOutIfUnauthorized,
  );
  const { total } = list;
  // Scores may have gone since the address was kept.
  const lastAt = Math.max(0, (total ?? Infinity) - 1);
  const at = indexOf(list, Math.min(askedAt, lastAt), id);
  const isDone = useSignal(false);
  const score = list.at(at);
  useEffect(() => list.ensureLoaded(at), [at, score]);
  const [title, back] = sourceOf(query);
  const show = (index: number): void => {
    isDone.value = false;
    if (total !== null && index >= 0 && index < total)
      updateQuery({ at: index === 0 ? null : String(index), of: list.at(index)?.id ?? null });
  };
  useShortcuts({
    j: [() => show(at + 1), "next score"],
    k: [() => show(at - 1), "previous score"],
    Escape: [() => navigate(back), "back"],
  });
  return (
    <main class="labelling">
      <header class="title">
        <a href={back}>← {title}</a>
        <h1>Review</h1>
        {total !== null && (
          <p class="facts" role="status">
            {total === 0
              ? "no scores"
              : `${count(at + 1)} of ${count(total)}, lowest first${isDone.value ? ": that was the last one" : ""}`}
          </p>
        )}
        <div class="buttons">
          <button type="button" disabled={at === 0} onClick={() => show(at - 1)}>
            Previous <kbd>k</kbd>
          </button>
          <button type="button" disabled={total === null || at + 1 >= total} onClick={() => show(at + 1)}>
            Next <kbd>j</kbd>
          </button>
        </div>
      </header>
      <ErrorAlert {...list} />
      {score === undefined && list.error === null && total !== 0 && <LoadingNote>Loading the scores</LoadingNote>}
      {score !== undefined && (
        <Item
          key={score.id}
          score={score}
          onReviewed={() => {
            show(at + 1);
            isDone.value = at + 1 === total;
          }}
        />
      )}
    </main>
  );
};
