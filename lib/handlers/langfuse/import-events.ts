import { langfuseEvent } from "../../contract/langfuse/events.ts";
import { maxScores } from "../../contract/langfuse/scores.ts";
import { mapConcurrently } from "../../async/concurrency.ts";
import { uuidInProject } from "../../domain/access/identity.ts";
import { hasFields } from "../../domain/scores/imported-score.ts";
import { telemetryNotes, unreadNote } from "../../domain/telemetry-notes.ts";
import { traceDeletedDetail } from "../../domain/traces/deleted-trace.ts";
import { startFlaw, type StartBounds } from "../../domain/traces/limits.ts";
import type { Database } from "../../dynamo/database.ts";
import type { Caller, Exchange } from "../../http/exchange.ts";
import { spanOfObservation, spanOfTrace } from "../../langfuse/event-span.ts";
import { langfuseScoreSource } from "../../langfuse/score-of.ts";
import { sentEvent, type ObservationEvent, type SentEvent, type TraceEvent } from "../../langfuse/sent-events.ts";
import { tracesOf } from "../../otlp/traces/traces-of.ts";
import { traceUuid } from "../../otlp/wire/span-ids.ts";
import { traceReader } from "../../store/traces/reader.ts";
import type { MaskedTraces } from "../../store/traces/masked.ts";
import { scoreImporter } from "../scores/import-scores.ts";
import { ingestTraces } from "../traces/ingest.ts";

/** Result of an event: null if it is stored, else the reason with the HTTP status of such a request. */
interface EventFlaw {
  readonly status: number;
  readonly message: string;
}

/** Maximum number of traces that a request looks up for updates that do not name theirs; those of the SDKs do. */
const maxLookups = 20;

type ImportRequest = Caller & Pick<Exchange, "idFor" | "warn">;
type TelemetryEvent = TraceEvent | ObservationEvent;

/** Orders events by the instants at which they were made; those of one instant keep their order. */
const byTime = (a: Pick<TelemetryEvent, "at">, b: Pick<TelemetryEvent, "at">): number =>
  a.at < b.at ? -1 : a.at === b.at ? 0 : 1;

const isTelemetry = (event: SentEvent): event is TelemetryEvent =>
  event.kind === "trace" || event.kind === "observation";

/** Langfuse's names of fields that are named otherwise here. */
const langfuseNames: Readonly<Record<string, string>> = {
  "trace name": "name",
  session_id: "sessionId",
  user_id: "userId",
  prompt_name: "promptName",
  prompt_version: "promptVersion",
};

const startFieldOf = ({ kind, body }: TelemetryEvent): string =>
  kind === "trace" || (body.startTime ?? null) === null ? "timestamp" : "startTime";

const flaw = (message: string, status = 400): EventFlaw => ({ status, message });

const noTrace = flaw(
  "traceId: An update names the trace of its observation, unless its create is in the same request or names none either.",
);

/**
 * Returns a function that stores a batch of Langfuse's events. Each has its own outcome.
 *
 * @throws Refusal as `ingestTraces`.
 */
export const eventImporter = (database: Database, traces: MaskedTraces, starts: StartBounds) => {
  const importScores = scoreImporter(database, traces, langfuseScoreSource);
  const reader = traceReader(database);

  /**
   * Returns the id of an event's trace as the event has it. An observation that names none is in the trace that another event of the
   * request names for it; else it began a trace of its own, with its id. Null for an update of an unknown observation.
   */
  const traceTexts = async (project: string, events: readonly TelemetryEvent[]) => {
    const observations = events.filter((event) => event.kind === "observation");
    const tracesById = new Map(observations.flatMap(({ isUpdate, body: { id } }) => (isUpdate ? [] : [[id, id]])));
    for (const { body } of observations) if (body.traceId) tracesById.set(body.id, body.traceId);
    const unknownIds = new Set(observations.flatMap(({ body: { id } }) => (tracesById.has(id) ? [] : [id])));
    await mapConcurrently([...unknownIds].slice(0, maxLookups), maxLookups, async (id) => {
      if ((await reader.locate(project, uuidInProject(project, id))) !== null) tracesById.set(id, id);
    });
    return ({ kind, body }: TelemetryEvent): string | null =>
      kind === "trace" ? body.id : body.traceId || (tracesById.get(body.id) ?? null);
  };

  const storeTelemetry = async (
    events: readonly TelemetryEvent[],
    { project, warn }: ImportRequest,
  ): Promise<ReadonlyMap<TelemetryEvent, EventFlaw>> => {
    const flaws = new Map<TelemetryEvent, EventFlaw>();
    const textOf = await traceTexts(project.id, events);
    const spans = events.toSorted(byTime).flatMap((event) => {
      const text = textOf(event);
      if (text === null) {
        flaws.set(event, noTrace);
        return [];
      }
      const traceId = uuidInProject(project.id, text);
      const span = event.kind === "trace" ? spanOfTrace(event, traceId) : spanOfObservation(event, traceId, text);
      const startMessage = startFlaw(span.startedAt, starts, Date.now());
      if (startMessage !== null) flaws.set(event, flaw(`${startFieldOf(event)}: ${startMessage}`));
      return startMessage === null ? [{ event, span }] : [];
    });
    const notes = telemetryNotes((field) => langfuseNames[field] ?? field);
    const grouped = tracesOf(
      spans.map(({ span }) => span),
      notes,
    );
    const messages = new Map(grouped.flaws.map(({ span, message }) => [span, message]));
    const refusals = new Map(
      (await ingestTraces(traces, project, grouped.traces)).map((refusal) => [refusal.traceId, refusal]),
    );
    for (const { event, span } of spans) {
      const refusal = refusals.get(traceUuid(span.traceId));
      const isStored =
        refusal === undefined || (span.isTrace ? refusal.keepsFields : refusal.storedSpan === traceUuid(span.spanId));
      const message = messages.get(span) ?? (isStored ? null : refusal.message);
      if (message !== null) flaws.set(event, flaw(message, message === traceDeletedDetail ? 404 : 400));
    }
    for (const sentence of notes.sentences()) warn(sentence);
    return flaws;
  };

  return async (batch: readonly unknown[], request: ImportRequest) => {
    // Metadata describes the sending.
    const note = unreadNote("events", batch.filter(hasFields), [...Object.keys(langfuseEvent.entries), "metadata"]);
    if (note !== null) request.warn(note);
    const notes = telemetryNotes();
    const events = batch.map((each) => sentEvent(each, notes.note));
    for (const sentence of notes.sentences()) request.warn(sentence);
    const flaws = new Map<SentEvent, EventFlaw>(await storeTelemetry(events.filter(isTelemetry), request));
    const scores = events.filter((event) => event.kind === "score").toSorted(byTime);
    const outcomes = await importScores(
      scores.slice(0, maxScores).map(({ body }) => body),
      request,
    );
    for (const [at, event] of scores.entries()) {
      const outcome = outcomes[at];
      if (outcome === undefined) flaws.set(event, flaw(`A request may have at most ${maxScores} scores.`, 413));
      else if (outcome.kind === "refused")
        flaws.set(event, flaw(`${outcome.field}: ${outcome.message}`, outcome.status));
    }
    for (const event of events) if (event.kind === "flaw") flaws.set(event, flaw(event.message));
    return {
      successes: events.flatMap((event) => (flaws.has(event) ? [] : [{ id: event.id, status: 201 }])),
      errors: events.flatMap((event) => {
        const flawOfEvent = flaws.get(event);
        return flawOfEvent === undefined ? [] : [{ id: event.id, error: "Not taken", ...flawOfEvent }];
      }),
    };
  };
};
