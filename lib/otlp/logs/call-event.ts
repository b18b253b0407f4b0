import type { LogEvent } from "../../domain/traces/log-events.ts";
import { readSpan } from "../../conventions/precedence.ts";
import type { ExportedEvent } from "./exported-event.ts";
import { asSpan } from "./log-event.ts";

/** Events of Claude Code about the whole answer to a prompt; the others are about one tool call or model call. */
const ofConversation = new Set(["claude_code.user_prompt", "claude_code.assistant_response"]);

/** Converts an event of Claude Code, which names the tool or model call that it is about, to a `LogEvent`. */
export const callEventOf = (event: ExportedEvent): LogEvent => {
  const { name, at, order } = event;
  const { values, usedKeys } = readSpan({ ...asSpan(event), attributes: event.attributes });
  const { callId: id, input, output, cost, failure: error } = values;
  const content: Pick<LogEvent, "input" | "output"> = {
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
  };
  const call: LogEvent["call"] | null =
    id === undefined
      ? null
      : { id, ...content, ...(error !== undefined && { error }), ...(cost !== undefined && { cost }) };
  return {
    name,
    at,
    order,
    ...(ofConversation.has(name) && content),
    ...(call !== null && Object.keys(call).length > 1 && { call }),
    attributes: Object.fromEntries(Object.entries(event.attributes).filter(([key]) => !usedKeys.has(key))),
  };
};
