import { isObject, type Json, type JsonObject } from "../json.ts";
import type { IdentifiedSpan } from "./input.ts";
import type { Span } from "./trace.ts";

/** Metadata keys of a span for its log events, which OpenTelemetry sends apart from the span. */
export const logEventKeys = {
  /** The events, as a list of `LogEvent` ordered by time. */
  events: "otel.logs",
  /** True for a placeholder of a span of which only events have arrived. */
  placeholder: "otel.awaits_span",
} as const;

/** Maximum number of log events stored for a span; later ones are dropped. */
const maxLogEvents = 100;

/** A log event of a span. */
export type LogEvent = {
  readonly name: string;
  readonly at: string | null;
  /** Input of the model call, if a single event contains the whole input. */
  readonly input?: Json;
  /** Output of the model call, if a single event contains the whole output. */
  readonly output?: Json;
  /** Input messages, if each message has its own event. */
  readonly asked?: readonly Json[];
  /** Output messages, if each message has its own event. */
  readonly answered?: readonly Json[];
  /** Other attributes of the event. */
  readonly attributes?: JsonObject;
};

type SpanWithEvents = Pick<IdentifiedSpan, "metadata">;

/** True for a placeholder of a span of which only log events have arrived. */
export const isPlaceholder = ({ metadata }: SpanWithEvents): boolean => metadata?.[logEventKeys.placeholder] === true;

const isLogEvent = (value: Json): value is LogEvent & JsonObject => isObject(value);

const logEventsOf = ({ metadata }: SpanWithEvents): readonly (LogEvent & JsonObject)[] => {
  const events = metadata?.[logEventKeys.events] ?? [];
  return Array.isArray(events) ? (events as readonly Json[]).filter(isLogEvent) : [];
};

const compareEvents = (
  [at, text]: readonly [string, string],
  [otherAt, otherText]: readonly [string, string],
): number => {
  if (at !== otherAt) return at < otherAt ? -1 : 1;
  return text < otherText ? -1 : text === otherText ? 0 : 1;
};

/** Returns the distinct events ordered by time, independent of their order of arrival. */
export const sortLogEvents = <Each extends LogEvent>(events: readonly Each[]): readonly Each[] => {
  const byText = new Map(events.map((event) => [JSON.stringify(event), event]));
  return [...byText]
    .toSorted(([text, { at }], [otherText, { at: otherAt }]) =>
      compareEvents([at ?? "", text], [otherAt ?? "", otherText]),
    )
    .slice(0, maxLogEvents)
    .map(([, event]) => event);
};

const messages = (events: readonly LogEvent[], side: "asked" | "answered"): Json => {
  const conversation = events.flatMap((event) => event[side] ?? []);
  return conversation.length === 0 ? null : conversation;
};

/** Returns input and output of a model call according to its log events; null where they contain none. */
export const conversationOf = (events: readonly LogEvent[]): { readonly input: Json; readonly output: Json } => ({
  input: events.findLast(({ input }) => input !== undefined)?.input ?? messages(events, "asked"),
  output: events.findLast(({ output }) => output !== undefined)?.output ?? messages(events, "answered"),
});

/** Adds log events to a stored span. Input and output that the span has itself, or that were overwritten, are kept. */
export const addLogEvents = (span: Span, update: SpanWithEvents): Span => {
  const [previousEvents, allEvents] = [
    logEventsOf(span),
    sortLogEvents([...logEventsOf(span), ...logEventsOf(update)]),
  ];
  const [previous, current] = [conversationOf(previousEvents), conversationOf(allEvents)];
  const isDerived = (value: Json, derivedValue: Json): boolean =>
    value === null || (derivedValue !== null && JSON.stringify(value) === JSON.stringify(derivedValue));
  return {
    ...span,
    input: isDerived(span.input, previous.input) ? current.input : span.input,
    output: isDerived(span.output, previous.output) ? current.output : span.output,
    metadata: { ...span.metadata, [logEventKeys.events]: [...allEvents] },
  };
};

/** Removes the placeholder flag from the metadata of a span that has arrived. */
export const withoutPlaceholderFlag = (metadata: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(metadata).filter(([key]) => key !== logEventKeys.placeholder));
