import { useEffect, useRef } from "preact/hooks";
import type { Span, TraceScore } from "../../client/interface.ts";
import { hrefTo } from "../route.ts";
import { toneOf as scaleTone } from "../traces/tone.ts";
import { dollars, plural } from "../format.ts";
import { EarlierScores } from "./earlier-scores.tsx";
import { QuoteList } from "./evidence.tsx";
import { ReviewForm, type ReviewKey } from "../review/review-form.tsx";
import { LocalTime, MetricVersionLink } from "../parts/labels.tsx";
import { lazyPart } from "../parts/lazy.tsx";

const PersonName = lazyPart(async () => (await import("../review/people.tsx")).PersonName);
const PeopleScores = lazyPart(async () => (await import("../review/people.tsx")).PeopleScores);

/** Color class by the metric's success criterion; plain if the score has none. */
const toneOf = ({ status, applicable, metadata: { success } }: TraceScore): "good" | "bad" | "plain" => {
  if (status !== "SUCCESS" || applicable === false || typeof success !== "boolean") return "plain";
  return success ? "good" : "bad";
};

const signs = { good: "✓", bad: "✕", plain: "·" } as const;

/** Who gave a score: a person by name, a program or a judge. */
const Source = ({ score: { source, judge, original, author_user_id: author } }: { readonly score: TraceScore }) => {
  if (source === "ANNOTATION")
    return (
      <>
        {author === null ? "a person" : <PersonName id={author} />}
        {original !== null && `, after ${original.judge ?? "a judge"}`}
      </>
    );
  if (source === "PROGRAMMATIC") return <>a program</>;
  if (judge === null) return <>a judge</>;
  return <>{judge.provider === null ? judge.model : `${judge.provider}/${judge.model}`}</>;
};

/** Returns the fraction of the trace that the judge was shown; null if unknown. */
const coverageRatio = (coverage: unknown): number | null => {
  if (typeof coverage !== "object" || coverage === null || !("ratio" in coverage)) return null;
  return typeof coverage.ratio === "number" ? coverage.ratio : null;
};

const CorrectionNote = ({ score }: { readonly score: TraceScore }) => {
  const { original } = score;
  if (original === null) return null;
  return (
    <p class="faint reason" dir="auto">
      {original.value === score.value
        ? "A person agrees with the judge."
        : `The judge said ${original.value ?? "nothing"} before a person corrected it.`}{" "}
      {original.reason !== score.reason && original.reason}
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
  readonly lastKey: ReviewKey;
}) => {
  const box = useRef<HTMLElement>(null);
  const tone = toneOf(score);
  const hasPerson = [score, ...earlierScores].some(({ source }) => source === "ANNOTATION");
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
      {hasPerson && <PeopleScores score={score} />}
      <EarlierScores scores={earlierScores} />
      <p class="facts faint">
        <span dir="auto">
          by <Source score={score} />
        </span>
        {score.judge !== null && <span>prompt {score.judge.version}</span>}
        <MetricVersionLink score={score} />
        {coverage !== null && <span>saw {Math.round(coverage * 100)} % of the trace</span>}
        {typeof cost === "number" && <span>{dollars(cost)}</span>}
        {score.eval_run_id !== null && <a href={hrefTo("runs", score.eval_run_id)}>run</a>}
        <LocalTime at={score.updated_at} />
      </p>
      <ReviewForm score={score} onChange={onChange} isActive={isActive} lastKey={lastKey} />
    </article>
  );
};
