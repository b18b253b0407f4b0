import type { Answer, Call } from "./caller.ts";
import { differences } from "./differences.ts";
import { parseExact, type Fields, type Value } from "./exact-json.ts";
import { listOf, objectOf, textOf } from "./fields.ts";
import type { Operation } from "./generator/operations.ts";
import type { ModelProject } from "./project.ts";
import { spanReply, traceReply } from "./replies.ts";

const json = JSON.stringify;

/** Sends the request of an operation. */
export const request = (call: Call, operation: Operation): Promise<Answer> => {
  switch (operation.kind) {
    case "ingest":
      return call("POST", "/traces", { body: operation.body });
    case "ingest-batch":
      return call("POST", "/traces/batch", { body: operation.body });
    case "append-spans":
      return call("POST", `/traces/${operation.trace}/spans`, { body: operation.body });
    case "patch-trace":
      return call("PATCH", `/traces/${operation.trace}`, { body: operation.body });
    case "patch-span":
      return call("PATCH", `/traces/${operation.trace}/spans/${operation.span}`, { body: operation.body });
    case "change-tags":
      return call("POST", "/traces/batch/tags", {
        body: json({ trace_ids: operation.traces, add_tags: operation.add, remove_tags: operation.remove }),
      });
    case "delete-trace":
      return call("DELETE", `/traces/${operation.trace}`);
    case "delete-traces":
      return call("POST", "/traces/batch/delete", { body: json({ trace_ids: operation.traces }) });
    case "delete-session":
      return call("DELETE", `/sessions/${encodeURIComponent(operation.session)}`);
    default:
      return operation satisfies never;
  }
};

/** Expected parts of a reply; absent members are not compared. */
interface Expected {
  readonly status: number;
  readonly value?: unknown;
}

const notFound: Expected = { status: 404 };

const member = (value: Value | undefined, key: string): Value | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields)[key] : undefined;

/** Spans with the ids that the service assigned to spans without one. */
const withIds = (sentSpans: readonly Value[], answer: Answer): readonly Value[] => {
  const ids = listOf(member(answer.value, "span_ids"));
  return sentSpans.map((span, index) => {
    const fields = objectOf(span);
    return { ...fields, span_id: fields["span_id"] ?? ids[index] ?? "missing" };
  });
};

/**
 * Applies an operation to the model after the service has executed it.
 * @param times instants of the request and of its reply, by the caller's clock.
 * @returns differences between the service's reply and the model.
 */
export const apply = (
  model: ModelProject,
  operation: Operation,
  answer: Answer,
  times: { readonly from: number; readonly to: number },
): readonly string[] => {
  const expected = (): Expected => {
    switch (operation.kind) {
      case "ingest":
        model.ingest(objectOf(parseExact(operation.body)), times);
        return { status: 202, value: { trace_id: operation.trace, task_id: member(answer.value, "task_id") } };
      case "ingest-batch": {
        const sentTraces = listOf(objectOf(parseExact(operation.body))["traces"]).map(objectOf);
        for (const each of sentTraces) model.ingest(each, times);
        const results = sentTraces.map((each, index) => ({
          index,
          trace_id: textOf(each["trace_id"]).toLowerCase(),
          status: 202,
        }));
        return { status: 202, value: { results } };
      }
      case "append-spans": {
        const spans = withIds(listOf(parseExact(operation.body)), answer);
        if (!model.appendSpans(operation.trace, spans)) return notFound;
        return {
          status: 201,
          value: { span_ids: spans.map((span) => textOf(objectOf(span)["span_id"]).toLowerCase()) },
        };
      }
      case "patch-trace": {
        if (!model.patchTrace(operation.trace, objectOf(parseExact(operation.body)))) return notFound;
        const trace = model.trace(operation.trace);
        return { status: 200, value: trace && traceReply(member(answer.value, "project_id"), trace) };
      }
      case "patch-span": {
        const { trace, span } = operation;
        if (!model.patchSpan(trace, span, objectOf(parseExact(operation.body)))) return notFound;
        const after = model.trace(trace)?.spans.get(span);
        return { status: 200, value: after && spanReply(trace, after) };
      }
      case "change-tags": {
        const { traces, add, remove } = operation;
        return { status: 200, value: { updated: model.changeTags(traces, add, remove) } };
      }
      case "delete-trace":
        return model.deleteTraces([operation.trace]) === 0 ? notFound : { status: 204 };
      case "delete-traces":
        return { status: 200, value: { deleted: model.deleteTraces(operation.traces) } };
      case "delete-session": {
        const deleted = model.deleteSession(operation.session);
        return deleted === 0 ? notFound : { status: 200, value: { deleted } };
      }
      default:
        return operation satisfies never;
    }
  };
  const { status, value } = expected();
  if (status !== answer.status) {
    return [
      `${operation.kind}: status ${answer.status} where the model has ${status}: ${json(answer.value)?.slice(0, 500)}`,
    ];
  }
  return value === undefined ? [] : differences(answer.value, value, operation.kind);
};
