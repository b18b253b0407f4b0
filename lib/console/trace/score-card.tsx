import { useSignal } from "@preact/signals";
import { handleSubmit, bindText, focusOnMount } from "../parts/form-bindings.ts";
import { useEffect, useRef } from "preact/hooks";
import type { ScoreEdit, Span, TraceScore } from "../../client/interface.ts";
import { isText, useDraft } from "../draft.ts";
import { hrefTo } from "../route.ts";
import { client } from "../sign-in.ts";
import { toneOf as scaleTone } from "../traces/tone.ts";
import { dollars, plural } from "../format.ts";
import { EarlierScores } from "./earlier-scores.tsx";
import { useAction } from "../parts/action.tsx";
import { QuoteList } from "./evidence.tsx";
import { LocalTime, MetricVersionLink } from "../parts/labels.tsx";

/** Color class by the metric's success criterion; plain if the score has none. */
const toneOf = ({ status, applicable, metadata: { success } }: TraceScore): "good" | "bad" | "plain" => {
  if (status !== "SUCCESS" || applicable === false || typeof success !== "boolean") return "plain";
  return success ? "good" : "bad";
};

const signs = { good: "✓", bad: "✕", plain: "·" } as const;

const sourceOf = ({ source, judge, original }: TraceScore): string => {
  if (source === "ANNOTATION") return original === null ? "a person" : `a person, after ${original.judge ?? "a judge"}`;
  if (source === "PROGRAMMATIC") return "a program";
  if (judge === null) return "a judge";
  return judge.provider === null ? judge.model : `${judge.provider}/${judge.model}`;
};

/** Value of a correction by "Disagree": the opposite end of the scale. */
const opposite = (score: TraceScore): string => {
  if (score.data_type === "BOOLEAN") return score.value === "true" ? "false" : "true";
  return Number(score.value) >= 0.5 ? "0" : "1";
};

/** Returns the fraction of the trace that the judge was shown; null if unknown. */
const coverageRatio = (coverage: unknown): number | null => {
  if (typeof coverage !== "object" || coverage === null || !("ratio" in coverage)) return null;
  return typeof coverage.ratio === "number" ? coverage.ratio : null;
};

/** True if a person can agree or disagree: a successful score of a judge, not categorical and not yet reviewed. */
export const isReviewable = ({ source, status, data_type: type }: TraceScore): boolean =>
  source === "AUTOMATED" && status === "SUCCESS" && type !== "CATEGORICAL";

const CorrectionNote = ({ score }: { readonly score: TraceScore }) => {
  const { original } = score;
  if (original === null) return null;
  return (
    <p class="faint">
      {original.value === score.value
        ? "A person agrees with the judge."
        : `The judge said ${original.value ?? "nothing"} before a person corrected it.`}
    </p>
  );
};

/** The uncertain verdict of the first of two judges; nothing if there was one judge. */
const FirstVerdict = ({ verdict }: { readonly verdict: unknown }) => {
  if (typeof verdict !== "object" || verdict === null) return null;
  const { model, value, confidence } = verdict as { model?: unknown; value?: unknown; confidence?: unknown };
  return (
    <p class="faint" dir="auto">
      {String(model)} was not sure: {typeof value === "number" ? value : "no score"}
      {typeof confidence === "number" && `, confidence ${confidence.toFixed(2)}`}.
    </p>
  );
};

/** Note on a first verdict that counts although a second judge was to be asked. */
const EscalationNote = ({ escalation }: { readonly escalation: unknown }) =>
  escalation === "unfunded" || escalation === "failed" ? (
    <p class="faint">
      The judge was not sure, and the second one {escalation === "failed" ? "gave no verdict" : "could not be paid"}.
    </p>
  ) : null;

/** Bar for a numeric score from 0 to 1. */
const Scale = ({ score }: { readonly score: TraceScore }) => {
  const value = Number(score.value);
  if (score.data_type !== "NUMERIC" || score.status !== "SUCCESS" || value < 0 || value > 1) return null;
  return (
    <span class={`scale ${scaleTone(score)}`} aria-hidden="true">
      <span style={{ width: `${value * 100}%` }} />
    </span>
  );
};

/** A metric's score of a trace with reason, evidence and earlier scores, and buttons to agree or correct it. */
export const ScoreCard = ({
  score,
  earlierScores,
  spans,
  onSelectSpan,
  onChange,
  isActive,
  lastKey,
}: {
  readonly score: TraceScore;
  /** Earlier scores of the same metric, newest first. */
  readonly earlierScores: readonly TraceScore[];
  readonly spans: ReadonlyMap<string, Span>;
  readonly onSelectSpan: (span: string) => void;
  readonly onChange: () => void;
  /** True if shortcuts apply to this score. */
  readonly isActive: boolean;
  /** Last shortcut for a review, and the number of shortcuts so far. */
  readonly lastKey: { readonly key: "agree" | "disagree" | null; readonly times: number };
}) => {
  const { value: reason } = useDraft(`reason ${score.id}`, "", isText);
  const isOpen = useSignal(reason.peek() !== "");
  const { perform, isBusy, errorAlert } = useAction();
  const box = useRef<HTMLElement>(null);
  const tone = toneOf(score);
  const canReview = isReviewable(score);
  // A stored correction is never offered to be reversed by the words that a reload has kept.
  const isCorrecting = canReview && isOpen.value;
  const unsentWords = canReview || reason.value.trim() === (score.reason ?? "") ? "" : reason.value.trim();
  useEffect(() => {
    if (!canReview && unsentWords === "") reason.value = "";
  }, [canReview, unsentWords]);
  const review = (isAgreed: boolean): Promise<void> =>
    perform(async () => {
      const text = reason.value.trim();
      const body: ScoreEdit = isAgreed ? {} : { value: opposite(score), ...(text === "" ? {} : { reason: text }) };
      await client.value.updateTraceScore({ path: { score_id: score.id }, body });
      [isOpen.value, reason.value] = [false, ""];
      onChange();
    });
  useEffect(() => {
    if (!isActive || !canReview || lastKey.key === null) return;
    if (lastKey.key === "agree") void review(true);
    else isOpen.value = true;
  }, [lastKey]);
  useEffect(() => {
    if (isActive && lastKey.times > 0) box.current?.scrollIntoView({ block: "nearest" });
  }, [isActive, lastKey]);
  const { metadata } = score;
  const coverage = coverageRatio(metadata["coverage"]);
  const cost = metadata["cost_usd"];
  const droppedQuotes = score.evidence_dropped ?? 0;
  return (
    <article class={`verdict ${tone}${isActive ? " on" : ""}`} ref={box}>
      <header>
        <h3 dir="auto">
          <span aria-hidden="true">{signs[tone]}</span> {score.name.replaceAll("_", " ")}
        </h3>
        <Scale score={score} />
        <b class="value" dir="auto">
          {score.status === "FAILED" ? "no score" : (score.value ?? "…")}
        </b>
      </header>
      {score.applicable === false && (
        <p class="faint">
          Not applicable{score.inapplicable_code !== null && ` (${score.inapplicable_code.replaceAll("_", " ")})`}: not
          counted.
        </p>
      )}
      {score.stale === true && <p class="faint">The trace has changed since it was judged.</p>}
      {score.reason !== null && (
        <p class="reason" dir="auto">
          {score.reason}
        </p>
      )}
      {metadata["evidence_kind"] === "none" && <p class="faint">A decision model cites no evidence.</p>}
      <FirstVerdict verdict={metadata["first_verdict"]} />
      <EscalationNote escalation={metadata["escalation"]} />
      <QuoteList evidence={score.evidence ?? []} spans={spans} onSelectSpan={onSelectSpan} />
      {droppedQuotes > 0 && <p class="faint">{plural(droppedQuotes, "quote")} dropped: not in the trace.</p>}
      <CorrectionNote score={score} />
      <EarlierScores scores={earlierScores} />
      <p class="facts faint">
        <span dir="auto">by {sourceOf(score)}</span>
        {score.judge !== null && <span>prompt {score.judge.version}</span>}
        <MetricVersionLink score={score} />
        {coverage !== null && <span>saw {Math.round(coverage * 100)} % of the trace</span>}
        {typeof cost === "number" && <span>{dollars(cost)}</span>}
        {score.eval_run_id !== null && <a href={hrefTo("runs", score.eval_run_id)}>run</a>}
        <LocalTime at={score.updated_at} />
      </p>
      {unsentWords !== "" && (
        <p class="faint" dir="auto">
          Not sent, as somebody has decided meanwhile: {unsentWords}
        </p>
      )}
      {canReview && !isCorrecting && (
        <p class="buttons writes">
          <button type="button" disabled={isBusy} onClick={() => void review(true)}>
            Agree {isActive && <kbd>a</kbd>}
          </button>
          <button type="button" onClick={() => (isOpen.value = true)}>
            Disagree … {isActive && <kbd>d</kbd>}
          </button>
        </p>
      )}
      {isCorrecting && (
        <form
          onSubmit={handleSubmit(() => review(false))}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.stopPropagation();
            isOpen.value = false;
          }}
        >
          <label>
            It should be {opposite(score)}, because
            <input {...bindText(reason)} ref={focusOnMount} />
          </label>
          <button type="submit" class="main" disabled={isBusy}>
            Correct it
          </button>
          <button type="button" onClick={() => (isOpen.value = false)}>
            Cancel
          </button>
        </form>
      )}
      {errorAlert}
    </article>
  );
};
