import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Span, TraceScore } from "../../client/interface.ts";
import { useShortcuts } from "../shortcuts.ts";
import type { LoadState } from "../use-load.ts";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { newestByName } from "./newest-scores.ts";
import { isReviewable, type ReviewKey } from "../review/review-form.tsx";
import { ScoreCard } from "./score-card.tsx";
import { LoadingNote } from "../parts/loading-note.tsx";

/** Sort key of a score: that of a metric first, then the unsuccessful ones, the failed ones, by value, not applicable last. */
const rank = ({ name, applicable, status, metadata: { success }, value }: TraceScore, first: string | null): number => {
  if (name === first) return -1;
  if (applicable === false) return 3;
  if (status !== "SUCCESS") return 1;
  if (success === false) return 0;
  // A text that is no number, as true, is in the middle.
  return 1.5 + (Number(value) || 0) / 10;
};

/** Scores of a trace, the worst first, or first that of a metric. Shortcuts: `v` next score, `a` agree, `d` disagree. */
export const TraceScores = ({
  scores,
  spans,
  onSelectSpan,
  first = null,
  onReviewed,
}: {
  readonly scores: LoadState<readonly TraceScore[]>;
  readonly spans: readonly Span[];
  readonly onSelectSpan: (span: string) => void;
  /** Name of the metric whose score comes first. */
  readonly first?: string | null;
  /** Called with the name of a metric after somebody agreed with its score or corrected it. */
  readonly onReviewed?: (name: string) => void;
}) => {
  const spansById = useMemo(() => new Map(spans.map((span) => [span.span_id, span])), [spans]);
  const sortedScores = useMemo(
    () => newestByName(scores.value ?? []).toSorted((a, b) => rank(a.score, first) - rank(b.score, first)),
    [scores.value, first],
  );
  const selectedId = useSignal<string | null>(null);
  const lastKey = useSignal<ReviewKey>({ key: null, times: 0 });
  const activeId =
    selectedId.value ??
    sortedScores.find(({ score }) => score.name === first)?.score.id ??
    sortedScores.find(({ score }) => isReviewable(score))?.score.id ??
    sortedScores[0]?.score.id ??
    null;
  const press = (key: ReviewKey["key"]): void => {
    // The score stays selected after its review.
    selectedId.value = activeId;
    lastKey.value = { key, times: lastKey.value.times + 1 };
  };
  useShortcuts({
    v: [
      () => {
        const at = sortedScores.findIndex(({ score }) => score.id === activeId);
        press(null);
        selectedId.value = sortedScores[(at + 1) % sortedScores.length]?.score.id ?? null;
      },
      "next score",
    ],
    a: [() => press("agree"), "agree with the score", true],
    d: [() => press("disagree"), "disagree", true],
  });
  return (
    <section aria-label="Scores" class="verdicts">
      <h2>
        Scores{" "}
        {sortedScores.length > 1 && (
          <span class="faint keys">
            <kbd>v</kbd> next
          </span>
        )}
      </h2>
      <ErrorAlert {...scores} />
      {scores.value === null && scores.error === null && <LoadingNote>Loading the scores</LoadingNote>}
      {scores.value?.length === 0 && <p class="faint">No scores yet.</p>}
      {sortedScores.map(({ score, earlierScores }) => (
        <ScoreCard
          key={score.id}
          score={score}
          earlierScores={earlierScores}
          spans={spansById}
          onSelectSpan={onSelectSpan}
          onChange={() => {
            scores.reload();
            onReviewed?.(score.name);
          }}
          isActive={score.id === activeId}
          lastKey={lastKey.value}
        />
      ))}
    </section>
  );
};
