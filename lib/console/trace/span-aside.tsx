import { Copy, X } from "lucide";
import { useEffect, useRef } from "preact/hooks";
import type { Span } from "../../client/interface.ts";
import { isObject, type JsonObject } from "../../domain/json.ts";
import { count, dollars, duration } from "../format.ts";
import { route } from "../route.ts";
import { modelCallOf } from "../content/chat.ts";
import { ModelParameters } from "../content/chat-view.tsx";
import { Text } from "../content/content.tsx";
import { jsonOf } from "../content/json.ts";
import { JsonTree } from "../content/json-tree.tsx";
import { AddToDataset } from "../datasets/add-to-dataset.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { Fact } from "../display/fact.tsx";
import { Icon } from "../display/icon.tsx";
import { LocalTime, StatusLabel } from "../parts/labels.tsx";
import { kindWord } from "./kind-word.ts";
import { SpanInputOutput } from "./span-content.tsx";
import { spanUsageOf } from "./usage.ts";

const isEmpty = (record: Readonly<Record<string, unknown>> | null): boolean =>
  record === null || Object.keys(record).length === 0;

/** Parameters of a model call: those in its request, and those that the client recorded. */
const parametersOf = (span: Span): JsonObject => {
  const recorded = jsonOf(span.model_parameters);
  return { ...modelCallOf(span)?.settings, ...(isObject(recorded) ? recorded : {}) };
};

const JsonSection = ({ title, value }: { readonly title: string; readonly value: unknown }) => (
  <details>
    <summary>{title}</summary>
    <JsonTree value={jsonOf(value)} />
  </details>
);

/** Details of the selected span: input, output, model, tokens, cost and metadata. */
export const SpanAside = ({ span, onClose }: { readonly span: Span; readonly onClose: () => void }) => {
  const { prompt, completion, cost } = spanUsageOf(span);
  const article = useRef<HTMLElement>(null);
  // On a narrow screen the details are below the transcript, out of view.
  useEffect(() => {
    if (matchMedia("(max-width: 800px)").matches) article.current?.scrollIntoView();
  }, [span.span_id]);
  return (
    <article class="span-detail" ref={article} aria-label={`Span ${span.name}`}>
      <header>
        <h2 dir="auto">
          <StatusLabel status={span.status} isShort /> {span.name}
        </h2>
        <div class="buttons">
          <CopyButton text={span.span_id} icon={Copy}>
            Copy id
          </CopyButton>
          <AddToDataset sources={[{ trace_id: span.trace_id, span_id: span.span_id }]} />
          <button type="button" class="quiet" title="Close" onClick={onClose}>
            <Icon node={X} />
            <span class="unseen">Close</span>
          </button>
        </div>
      </header>
      <dl class="facts">
        <Fact title="Kind">{kindWord(span.kind)}</Fact>
        {span.model !== null && <Fact title="Model">{span.model}</Fact>}
        <Fact title="Started">
          <LocalTime at={span.started_at} />
        </Fact>
        <Fact title="Duration">
          {duration(span.latency_ms)}
          {span.clock === "outside" && (
            <span title="Starts or ends more than 60 s outside its trace"> outside the trace</span>
          )}
        </Fact>
        {span.time_to_first_token_ms !== null && (
          <Fact title="First token after">{duration(span.time_to_first_token_ms)}</Fact>
        )}
        {(prompt !== null || completion !== null) && (
          <Fact title="Tokens">
            {count(prompt ?? 0)} in, {count(completion ?? 0)} out
          </Fact>
        )}
        {cost !== null && <Fact title="Cost">{dollars(cost)}</Fact>}
      </dl>
      {span.error !== null && (
        <div class="trouble">
          <Text text={span.error} isCode />
        </div>
      )}
      <SpanInputOutput span={span} find={route.value.query["find"] ?? ""} />
      <ModelParameters parameters={parametersOf(span)} />
      {!isEmpty(span.token_usage) && <JsonSection title="Tokens" value={span.token_usage} />}
      {!isEmpty(span.metadata) && <JsonSection title="Metadata" value={span.metadata} />}
      <JsonSection title="Raw" value={span} />
    </article>
  );
};
