import { useSignal } from "@preact/signals";
import type { Span, TraceScore } from "../../client/interface.ts";
import type { Loaded } from "../load.ts";
import { client, notice } from "../sign-in.ts";
import { dollars } from "../words.ts";
import { Instant } from "./instant.tsx";
import { Trouble } from "./trouble.tsx";

const toneOf = ({ status, applicable, metadata: { success } }: TraceScore): "good" | "bad" | "plain" => {
  if (status !== "SUCCESS" || applicable === false || typeof success !== "boolean") return "plain";
  return success ? "good" : "bad";
};

const signs = { good: "✓", bad: "✕", plain: "·" } as const;

const sourceOf = ({ source, judge }: TraceScore): string => {
  if (source === "ANNOTATION") return "a person";
  if (source === "PROGRAMMATIC") return "a program";
  return judge === null ? "a judge" : judge.model;
};

/** What a disagreement makes of a value: the other end of its scale. */
const opposite = (score: TraceScore): string => {
  if (score.data_type === "BOOLEAN") return score.value === "true" ? "false" : "true";
  return Number(score.value) >= 0.5 ? "0" : "1";
};

/** The share of the record that the judge was shown. */
const shareIn = (coverage: unknown): number | null => {
  if (typeof coverage !== "object" || coverage === null || !("ratio" in coverage)) return null;
  return typeof coverage.ratio === "number" ? coverage.ratio : null;
};

const Quote = ({
  quote,
  span,
  choose,
}: {
  readonly quote: string | null;
  readonly span: Span | undefined;
  readonly choose: (span: string) => void;
}) => (
  <li>
    {span === undefined ? (
      <q dir="auto">{quote}</q>
    ) : (
      <button type="button" class="quiet evidence" onClick={() => choose(span.span_id)}>
        {quote !== null && <q dir="auto">{quote}</q>}{" "}
        <span class="faint" dir="auto">
          in {span.name}
        </span>
      </button>
    )}
  </li>
);

const Verdict = ({
  score,
  spans,
  choose,
  changed,
}: {
  readonly score: TraceScore;
  readonly spans: ReadonlyMap<string, Span>;
  readonly choose: (span: string) => void;
  readonly changed: () => void;
}) => {
  const [error, isAsked, reason] = [useSignal<unknown>(null), useSignal(false), useSignal("")];
  const tone = toneOf(score);
  const isJudged = score.source === "AUTOMATED" && score.status === "SUCCESS" && score.data_type !== "CATEGORICAL";
  const disagree = async (): Promise<void> => {
    error.value = null;
    try {
      const why = reason.value.trim();
      await client.value.updateTraceScore({
        path: { score_id: score.id },
        body: { value: opposite(score), reason: why === "" ? null : why },
      });
      isAsked.value = false;
      changed();
    } catch (thrown) {
      notice(thrown);
      error.value = thrown;
    }
  };
  const { metadata } = score;
  const coverage = shareIn(metadata["coverage"]);
  const cost = metadata["cost_usd"];
  return (
    <article class={`verdict ${tone}`}>
      <header>
        <h3>
          <span aria-hidden="true">{signs[tone]}</span> {score.name.replaceAll("_", " ")}
        </h3>
        <b class="value" dir="auto">
          {score.status === "FAILED" ? "no score" : (score.value ?? "…")}
        </b>
      </header>
      {score.applicable === false && <p class="faint">Does not apply: counts in no statistic.</p>}
      {score.reason !== null && (
        <p class="reason" dir="auto">
          {score.reason}
        </p>
      )}
      {score.evidence !== null && score.evidence.length > 0 && (
        <ul class="quotes" aria-label="Evidence">
          {score.evidence.map(({ quote, span_id: id }) => (
            <Quote quote={quote} span={id === null ? undefined : spans.get(id)} choose={choose} />
          ))}
        </ul>
      )}
      {(score.evidence_dropped ?? 0) > 0 && (
        <p class="faint">{score.evidence_dropped} quotations are not in the record and were dropped.</p>
      )}
      {score.original !== null && (
        <p class="faint">
          {score.original.judge ?? "The judge"} said {score.original.value ?? "nothing"} before a person corrected it.
        </p>
      )}
      <p class="facts faint">
        <span dir="auto">by {sourceOf(score)}</span>
        {score.judge !== null && <span>prompt {score.judge.version}</span>}
        {coverage !== null && coverage < 0.995 && <span>saw {Math.round(coverage * 100)} % of the trace</span>}
        {typeof cost === "number" && <span>{dollars(cost)}</span>}
        <Instant at={score.updated_at} />
      </p>
      {isJudged && !isAsked.value && (
        <button type="button" onClick={() => (isAsked.value = true)}>
          Disagree …
        </button>
      )}
      {isAsked.value && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void disagree();
          }}
        >
          <label>
            It should be {opposite(score)}, because
            <input value={reason} onInput={({ currentTarget }) => (reason.value = currentTarget.value)} autofocus />
          </label>
          <button type="submit" class="main">
            Correct it
          </button>
          <button type="button" onClick={() => (isAsked.value = false)}>
            Cancel
          </button>
        </form>
      )}
      {error.value !== null && <Trouble error={error.value} again={() => void disagree()} />}
    </article>
  );
};

/** What was found of the trace, and what it rests on. */
export const Verdicts = ({
  scores,
  spans,
  choose,
}: {
  readonly scores: Loaded<readonly TraceScore[]>;
  readonly spans: readonly Span[];
  readonly choose: (span: string) => void;
}) => {
  const known = new Map(spans.map((span) => [span.span_id, span]));
  return (
    <section aria-label="Verdicts" class="verdicts">
      <h2>Verdicts</h2>
      {scores.error !== null && <Trouble error={scores.error} again={scores.again} />}
      {scores.value === null && scores.error === null && <p class="faint">Loading …</p>}
      {scores.value?.length === 0 && (
        <p class="faint">Nobody has judged this trace yet: press e to evaluate it, or start a run.</p>
      )}
      {(scores.value ?? []).map((score) => (
        <Verdict key={score.id} score={score} spans={known} choose={choose} changed={scores.again} />
      ))}
    </section>
  );
};
