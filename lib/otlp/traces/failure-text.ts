import type { ExportedSpan } from "../../conventions/attributes/exported-span.ts";
import { stringOrEmpty } from "../../domain/json.ts";
import { withHeadFirst } from "../../domain/traces/error-text.ts";

const exceptionText = (attributes: ExportedSpan["attributes"]): string => {
  const [type = "", message = "", stack = ""] = ["type", "message", "stacktrace"].map((name) =>
    stringOrEmpty(attributes[`exception.${name}`]),
  );
  const head = message.startsWith(type) ? message : [type, message].filter((part) => part !== "").join(": ");
  if (head === "") return withHeadFirst(stack);
  // A message that begins with the type has it twice in the stack.
  if (type !== "" && stack.startsWith(`${type}: ${head}`)) return withHeadFirst(stack.slice(type.length + 2));
  return stack === "" || stack.startsWith(head) ? withHeadFirst(stack || head) : `${head}\n${stack}`;
};

/** Removes exceptions with the same type and message, since every caller that rethrows an exception records it again. */
const distinctExceptions = (
  exceptions: readonly ExportedSpan["attributes"][],
): readonly ExportedSpan["attributes"][] => {
  const keys = exceptions.map((each) =>
    JSON.stringify([each["exception.type"] ?? null, each["exception.message"] ?? null]),
  );
  return exceptions.filter((_, index) => keys.indexOf(keys[index] ?? "") === index);
};

/**
 * Returns the error text of a span, the type and message before the stack trace; null for a span without an error.
 *
 * @param conventionMessage error message read from a convention's attributes; used without exception events and status message.
 */
export const failureText = (
  { status, statusMessage, events, attributes }: ExportedSpan,
  conventionMessage?: string,
): string | null => {
  if (status === "OK") return null;
  const exceptions = events.filter(({ name }) => name === "exception").map((event) => event.attributes);
  const messages = distinctExceptions(exceptions)
    .map(exceptionText)
    .filter((text) => text !== "");
  if (messages.length > 0) return messages.join("\n\n");
  if (status !== "ERROR") return null;
  return withHeadFirst(
    statusMessage ||
      stringOrEmpty(attributes["error.message"]) ||
      conventionMessage ||
      stringOrEmpty(attributes["error.type"]) ||
      "The span failed.",
  );
};
