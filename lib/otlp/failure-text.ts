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

/** The same exception is told again by each that passes it on. */
const firstOfEach = (exceptions: readonly ExportedSpan["attributes"][]): readonly ExportedSpan["attributes"][] => {
  const keys = exceptions.map((each) =>
    JSON.stringify([each["exception.type"] ?? null, each["exception.message"] ?? null]),
  );
  return exceptions.filter((_, index) => keys.indexOf(keys[index] ?? "") === index);
};

/**
 * What went wrong in a span, with the stacks of the exceptions it tells of; null when nothing did.
 *
 * @param told what a convention has for it.
 */
export const failureText = (
  { status, statusMessage, events, attributes }: ExportedSpan,
  told?: string,
): string | null => {
  if (status === "OK") return null;
  const thrown = events.filter(({ name }) => name === "exception").map((event) => event.attributes);
  const messages = firstOfEach(thrown)
    .map(exceptionText)
    .filter((text) => text !== "");
  if (messages.length > 0) return messages.join("\n\n");
  if (status !== "ERROR") return null;
  return (
    statusMessage ||
    textIn(attributes["error.message"]) ||
    told ||
    textIn(attributes["error.type"]) ||
    "The span failed."
  );
};
