import { isPlainObject } from "../parts/is-object.ts";
import type { CustomMetricPreview } from "../../client/interface.ts";
import { count, dollars, plural } from "../format.ts";
import { JudgeMessages } from "./judge-messages.tsx";

type Item = CustomMetricPreview["items"][number];

const signs = { good: "✓", bad: "✕", plain: "·" } as const;

const toneOf = ({ score }: Item): keyof typeof signs => {
  if (score?.status !== "SUCCESS" || score.applicable === false) return "plain";
  const { success } = score.metadata;
  return typeof success === "boolean" ? (success ? "good" : "bad") : "plain";
};

/** An answer of a chat model, or a probability of a decision model; null if the model refused the statement. */
const answerText = (answer: unknown): string => {
  if (typeof answer === "number") return answer.toFixed(2);
  return typeof answer === "string" ? answer.replaceAll("_", " ") : "refused";
};

/** Result of a metric's preview on one trace: the score, its cost, and the judge prompt. */
export const PreviewResult = ({ item }: { readonly item: Item }) => {
  const { score, usage, messages } = item;
  if (score === null) return <p role="status">Trace not found.</p>;
  const tone = toneOf(item);
  const answers = score.metadata["statements"] ?? score.metadata["probabilities"];
  const statements = isPlainObject(answers) ? Object.entries(answers) : [];
  return (
    <article class={`verdict ${tone}`} aria-label="Result">
      <header>
        <h3>
          <span aria-hidden="true">{signs[tone]}</span>{" "}
          {tone === "plain" ? "Result" : tone === "good" ? "Success" : "Failure"}
        </h3>
        <b class="value" dir="auto">
          {score.status === "FAILED" ? "no score" : score.value}
        </b>
      </header>
      {score.applicable === false && (
        <p class="faint">
          Not applicable{score.inapplicable_code !== null && ` (${score.inapplicable_code.replaceAll("_", " ")})`}.
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
              <code>{name}</code>: {answerText(answer)}
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
        <span>cost {usage.cost_usd === null ? "unknown" : dollars(usage.cost_usd)}</span>
      </p>
      <details>
        <summary>Metadata</summary>
        <pre class="data" dir="auto">
          {JSON.stringify(score.metadata, null, 2)}
        </pre>
      </details>
      <JudgeMessages messages={messages} title="Judge prompt" />
    </article>
  );
};
