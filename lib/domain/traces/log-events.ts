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

/** Metadata keys with which a span names the session and the user of its trace. */
export const sessionKeys = { session: "otel.session_id", user: "otel.user_id" } as const;

/** Maximum number of log events stored for a span; of more, the first and the last are stored. */
const maxLogEvents = 1000;

/** A log event of a span. */
export type LogEvent = {
  readonly name: string;
  readonly at: string | null;
  /** Order among events with the same `at`: the first number that differs decides. The last is the position in a request. */
  readonly order?: readonly number[];
  /** Input of the model call, if a single event contains the whole input. */
  readonly input?: Json;
  /** Output of the model call, if a single event contains the whole output. */
  readonly output?: Json;
  /** Input messages, if each message has its own event. */
  readonly asked?: readonly Json[];
  /** Output messages, if each message has its own event. */
  readonly answered?: readonly Json[];
  /** Token counts of the model call. */
  readonly usage?: JsonObject;
  /** Id of the conversation, and of the user. */
  readonly session?: string;
  readonly user?: string;
  /** What the event tells of a tool or model call that has a span of its own (see `withCallParts`). */
  readonly call?: {
    readonly id: string;
    readonly input?: Json;
    readonly output?: Json;
    readonly error?: string;
    readonly cost?: JsonObject;
  };
  /** Other attributes of the event. */
  readonly attributes?: JsonObject;
};

type SpanWithEvents = Pick<IdentifiedSpan, "metadata">;

/** True for a placeholder of a span of which only log events have arrived. */
export const isPlaceholder = ({ metadata }: SpanWithEvents): boolean => metadata?.[logEventKeys.placeholder] === true;

const isLogEvent = (value: Json): value is LogEvent & JsonObject => isObject(value);

/** Returns the stored log events of a span. */
export const logEventsOf = ({ metadata }: SpanWithEvents): readonly (LogEvent & JsonObject)[] => {
  const events = metadata?.[logEventKeys.events] ?? [];
  return Array.isArray(events) ? (events as readonly Json[]).filter(isLogEvent) : [];
};

const compareText = (a: string, b: string): number => (a < b ? -1 : a === b ? 0 : 1);

const compareOrder = (a: LogEvent, b: LogEvent): number =>
  [0, 1, 2].map((at) => (a.order?.[at] ?? 0) - (b.order?.[at] ?? 0)).find((difference) => difference !== 0) ?? 0;

/** Text of an event without its position, which changes when an exporter sends the event in another request. */
const eventText = (event: LogEvent): string =>
  JSON.stringify(event.order === undefined ? event : { ...event, order: event.order.slice(0, 2) });

/** Returns the distinct events ordered by time, independent of their order of arrival. */
export const sortLogEvents = <Each extends LogEvent>(events: readonly Each[]): readonly Each[] => {
  const sorted = events
    .map((event) => ({ event, text: eventText(event) }))
    .toSorted(
      ({ event: a, text }, { event: b, text: otherText }) =>
        compareText(a.at ?? "", b.at ?? "") || compareOrder(a, b) || compareText(text, otherText),
    );
  const byText = new Map<string, Each>();
  for (const { event, text } of sorted) if (!byText.has(text)) byText.set(text, event);
  const distinct = [...byText.values()];
  return distinct.length <= maxLogEvents
    ? distinct
    : [...distinct.slice(0, maxLogEvents / 2), ...distinct.slice(-maxLogEvents / 2)];
};

const messages = (events: readonly LogEvent[], side: "asked" | "answered"): Json => {
  const conversation = events.flatMap((event) => event[side] ?? []);
  return conversation.length === 0 ? null : conversation;
};

/** Returns input and output of a model call according to its log events; null where they contain none. */
export const inputAndOutputOf = (events: readonly LogEvent[]): { readonly input: Json; readonly output: Json } => ({
  input: events.findLast(({ input }) => input !== undefined)?.input ?? messages(events, "asked"),
  output: events.findLast(({ output }) => output !== undefined)?.output ?? messages(events, "answered"),
});

/** Returns the last value of a field that events have; undefined without any. */
const lastOf = <Key extends "usage" | "session" | "user">(
  events: readonly LogEvent[],
  key: Key,
): LogEvent[Key] | undefined => events.findLast((event) => event[key] !== undefined)?.[key];

/** Returns token counts, session and user of a model call according to its log events. */
export const callFieldsOf = (events: readonly LogEvent[]) => {
  const [session, user] = [lastOf(events, "session"), lastOf(events, "user")];
  const labels: JsonObject = {
    ...(session !== undefined && { [sessionKeys.session]: session }),
    ...(user !== undefined && { [sessionKeys.user]: user }),
  };
  return { usage: lastOf(events, "usage") ?? null, labels };
};

/** Adds log events to a stored span. Values that the span has itself, or that were overwritten, are kept. */
export const addLogEvents = (span: Span, update: SpanWithEvents): Span => {
  const [previousEvents, allEvents] = [
    logEventsOf(span),
    sortLogEvents([...logEventsOf(span), ...logEventsOf(update)]),
  ];
  const [previous, current] = [inputAndOutputOf(previousEvents), inputAndOutputOf(allEvents)];
  const isDerived = (value: Json, derivedValue: Json): boolean =>
    value === null || (derivedValue !== null && JSON.stringify(value) === JSON.stringify(derivedValue));
  const { usage, labels } = callFieldsOf(allEvents);
  return {
    ...span,
    token_usage: isDerived(span.token_usage, callFieldsOf(previousEvents).usage) ? usage : span.token_usage,
    input: isDerived(span.input, previous.input) ? current.input : span.input,
    output: isDerived(span.output, previous.output) ? current.output : span.output,
    metadata: { ...labels, ...span.metadata, [logEventKeys.events]: [...allEvents] },
  };
};

/** Removes the placeholder flag from the metadata of a span that has arrived. */
export const withoutPlaceholderFlag = (metadata: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(metadata).filter(([key]) => key !== logEventKeys.placeholder));
