import type { Span } from "../../client/interface.ts";
import { dollars, duration, plural } from "../format.ts";
import { Content, Text } from "../parts/content.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { Instant, StatusLabel } from "../parts/labels.tsx";

const numberIn = (record: Readonly<Record<string, unknown>> | null, ...names: readonly string[]): number | null => {
  const match = names.map((name) => record?.[name]).find((value) => typeof value === "number");
  return match ?? null;
};

const isEmpty = (record: Readonly<Record<string, unknown>> | null): boolean =>
  record === null || Object.keys(record).length === 0;

const JsonSection = ({ title, value }: { readonly title: string; readonly value: unknown }) => (
  <details>
    <summary>{title}</summary>
    <Text text={JSON.stringify(value, null, 2)} isCode />
  </details>
);

/** Details of the selected span: input, output, model, tokens, cost and metadata. */
export const SpanAside = ({ span, onClose }: { readonly span: Span; readonly onClose: () => void }) => {
  const [prompt, completion] = [
    numberIn(span.token_usage, "prompt_tokens", "input_tokens"),
    numberIn(span.token_usage, "completion_tokens", "output_tokens"),
  ];
  const cost = numberIn(span.cost, "total");
  return (
    <article class="span-detail" aria-label={`Span ${span.name}`}>
      <header>
        <h2 dir="auto">
          <StatusLabel status={span.status} isShort /> {span.name}
        </h2>
        <button type="button" class="quiet" onClick={onClose}>
          Close
        </button>
      </header>
      <p class="facts">
        <span>{span.kind.toLowerCase()}</span>
        <span>{duration(span.latency_ms)}</span>
        {span.time_to_first_token_ms !== null && <span>first token after {duration(span.time_to_first_token_ms)}</span>}
        {span.model !== null && <span dir="auto">{span.model}</span>}
        {prompt !== null && <span>{plural(prompt, "token")} in</span>}
        {completion !== null && <span>{plural(completion, "token")} out</span>}
        {cost !== null && <span>{dollars(cost)}</span>}
        <Instant at={span.started_at} />
        <CopyButton text={span.span_id}>Copy id</CopyButton>
      </p>
      {span.error !== null && (
        <div class="trouble">
          <Text text={span.error} isCode />
        </div>
      )}
      <h3>Input</h3>
      <Content value={span.input} />
      <h3>Output</h3>
      <Content value={span.output} />
      {!isEmpty(span.model_parameters) && <JsonSection title="Parameters" value={span.model_parameters} />}
      {!isEmpty(span.token_usage) && <JsonSection title="Tokens" value={span.token_usage} />}
      {!isEmpty(span.metadata) && <JsonSection title="Metadata" value={span.metadata} />}
      <JsonSection title="Raw" value={span} />
    </article>
  );
};
