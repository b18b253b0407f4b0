import type { ExportedSpan } from "./exported-span.ts";

const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

const exceptionText = (attributes: ExportedSpan["attributes"]): string => {
  const [type, message, stack] = ["type", "message", "stacktrace"].map((name) =>
    textIn(attributes[`exception.${name}`]),
  );
  const head = [type, message].filter((part) => part !== "").join(": ");
  if (stack === undefined || stack === "") return head;
  return stack.includes(message ?? "") ? stack : `${head}\n${stack}`;
};

/** What went wrong in a span, with the stacks of the exceptions it tells of; null when nothing did. */
export const failureText = ({ status, statusMessage, events, attributes }: ExportedSpan): string | null => {
  if (status === "OK") return null;
  const thrown = events.filter(({ name }) => name === "exception").map((event) => exceptionText(event.attributes));
  const messages = thrown.filter((text) => text !== "");
  if (messages.length > 0) return messages.join("\n\n");
  if (status !== "ERROR") return null;
  return statusMessage || textIn(attributes["error.message"]) || textIn(attributes["error.type"]) || "The span failed.";
};
