import * as v from "valibot";
import {
  langfuseEvent,
  langfuseObservation,
  langfuseTrace,
  type LangfuseObservation,
  type LangfuseTrace,
} from "../contract/langfuse/events.ts";
import { issueOf } from "../contract/schema/issue.ts";
import { instantAt, parseInstant, type Instant } from "../domain/instant.ts";
import { isObject, withoutKeys, type JsonObject } from "../domain/json.ts";
import { abbreviate } from "../domain/text.ts";
import { hasFields } from "../domain/scores/imported-score.ts";

/** An event with the id by which its result is told. */
interface Identified {
  readonly id: string;
}

/** An event that describes a trace or an observation, with the instant at which it was made. */
interface Timed extends Identified {
  readonly at: Instant;
  /** Fields of the body that are attributes. */
  readonly attributes: JsonObject;
}

export interface TraceEvent extends Timed {
  readonly kind: "trace";
  readonly body: LangfuseTrace & { readonly id: string };
}

export interface ObservationEvent extends Timed {
  readonly kind: "observation";
  readonly isUpdate: boolean;
  /** Type of the observation in lower case, such as `generation`; null if the event does not tell it. */
  readonly type: string | null;
  readonly body: LangfuseObservation & { readonly id: string };
}

/** An event of a batch: to be stored, a message of an SDK about itself, or one that is refused. */
export type SentEvent =
  | TraceEvent
  | ObservationEvent
  | (Identified & { readonly kind: "score"; readonly at: Instant; readonly body: JsonObject })
  | (Identified & { readonly kind: "log" })
  | (Identified & { readonly kind: "flaw"; readonly message: string });

const observationType =
  /^(observation|agent|chain|embedding|evaluator|event|generation|guardrail|retriever|span|tool)-(create|update)$/u;

const flawOf = (id: string, [issue]: readonly [v.BaseIssue<unknown>, ...unknown[]]): SentEvent => {
  const { field, message } = issueOf(issue);
  return { kind: "flaw", id, message: field === "" ? message : `${field}: ${message}` };
};

/**
 * Parses an event of a batch apart from the others; an invalid one has its id as far as it has one.
 *
 * @param note takes a sentence about a timestamp that cannot be read.
 */
export const sentEvent = (event: unknown, note: (sentence: string) => void): SentEvent => {
  if (!hasFields(event)) return { kind: "flaw", id: "unknown", message: "An event is a JSON object" };
  const parsed = v.safeParse(langfuseEvent, event);
  if (!parsed.success) return flawOf(typeof event["id"] === "string" ? event["id"] : "unknown", parsed.issues);
  const { id, type, timestamp, body = null } = parsed.output;
  if (type === "sdk-log") return { kind: "log", id };
  if (!isObject(body)) return { kind: "flaw", id, message: "body: Input should be a valid dictionary" };
  const sentAt = parseInstant(timestamp ?? "");
  if (timestamp && sentAt === null)
    note(`The timestamp "${abbreviate(timestamp, 60)}" is no datetime: the time of arrival is taken.`);
  const at = sentAt ?? instantAt(Date.now());
  if (type === "score-create") return { kind: "score", id, at, body: { ...body, id: body["id"] || id } };
  if (type === "trace-create") {
    const trace = v.safeParse(langfuseTrace, body);
    if (!trace.success) return flawOf(id, trace.issues);
    const attributes = withoutKeys(body, langfuseTrace.entries);
    return { kind: "trace", id, at, body: { ...trace.output, id: trace.output.id || id }, attributes };
  }
  const [, word, verb] = observationType.exec(type) ?? [];
  if (word === undefined) return { kind: "flaw", id, message: `type: ${type} is no type of an event.` };
  const observation = v.safeParse(langfuseObservation, body);
  if (!observation.success) return flawOf(id, observation.issues);
  const { output } = observation;
  return {
    kind: "observation",
    id,
    at,
    isUpdate: verb === "update",
    type: word === "observation" ? (output.type?.toLowerCase() ?? null) : word,
    body: { ...output, id: output.id || id },
    attributes: {
      ...withoutKeys(body, langfuseObservation.entries),
      // The event's type wins over another one in its body.
      ...(output.type && word !== "observation" && output.type.toLowerCase() !== word && { body_type: output.type }),
    },
  };
};
