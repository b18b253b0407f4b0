import type { CustomMetricPreview } from "../../client/interface.ts";
import { count, dollars, plural } from "../words.ts";
import { isRecord } from "./form.ts";
import { Messages } from "./messages.tsx";

type Item = CustomMetricPreview["items"][number];

const signs = { good: "✓", bad: "✕", plain: "·" } as const;

const toneOf = ({ score }: Item): keyof typeof signs => {
  if (score?.status !== "SUCCESS" || score.applicable === false) return "plain";
  const { success } = score.metadata;
  return typeof success === "boolean" ? (success ? "good" : "bad") : "plain";
};

/** What came of trying a metric on one trace, and the exact words that made it. */
export const Previewed = ({ of: item }: { readonly of: Item }) => {
  const { score, usage, messages } = item;
  if (score === null) return <p role="status">The project has no such trace.</p>;
  const tone = toneOf(item);
  const answers = score.metadata["statements"];
  const statements = isRecord(answers) ? Object.entries(answers) : [];
  return (
    <article class={`verdict ${tone}`} aria-label="Verdict">
      <header>
        <h3>
          <span aria-hidden="true">{signs[tone]}</span>{" "}
          {tone === "plain" ? "Verdict" : tone === "good" ? "Success" : "No success"}
        </h3>
        <b class="value" dir="auto">
          {score.status === "FAILED" ? "no score" : score.value}
        </b>
      </header>
      {score.applicable === false && (
        <p class="faint">
          Does not apply{score.inapplicable_code !== null && ` (${score.inapplicable_code.replaceAll("_", " ")})`}.
        </p>
      )}
      {score.reason !== null && (
        <p class="reason" dir="auto">
          {score.reason}
        </p>
      )}
      {statements.length > 0 && (
        <ul class="said-list" aria-label="Statements">
          {statements.map(([name, answer]) => (
            <li dir="auto">
              <code>{name}</code>: {String(answer).replaceAll("_", " ")}
            </li>
          ))}
        </ul>
      )}
      {score.evidence !== null && score.evidence.length > 0 && (
        <ul class="quotes" aria-label="Evidence">
          {score.evidence.map(({ quote, span_id: span }) => (
            <li>{quote === null ? <code>{span}</code> : <q dir="auto">{quote}</q>}</li>
          ))}
        </ul>
      )}
      {score.judge !== null && (
        <p class="facts faint">
          <span dir="auto">
            by {score.judge.provider === null ? "" : `${score.judge.provider}/`}
            {score.judge.model}
          </span>
        </p>
      )}
      <p class="facts" role="status">
        <span>{plural(usage.calls, "call")}</span>
        <span>{count(usage.prompt_tokens + usage.completion_tokens)} tokens</span>
        <span>cost {usage.cost_usd === null ? "not known" : dollars(usage.cost_usd)}</span>
      </p>
      <details>
        <summary>What it says besides</summary>
        <pre class="data" dir="auto">
          {JSON.stringify(score.metadata, null, 2)}
        </pre>
      </details>
      <Messages of={messages} title="What the judge was sent, word for word" />
    </article>
  );
};
