import { canonicalUuid, uuidPattern } from "../../domain/text.ts";
import { formatUuid, namedUuid } from "../../domain/uuid.ts";

/** Returns the UUID of a trace: the 32 hex digits of its trace id. */
export const traceUuid = formatUuid;

/** Returns the 32 hex digits of a trace's UUID: its OpenTelemetry trace id. */
export const traceHex = (uuid: string): string => uuid.replaceAll("-", "");

/**
 * Returns the UUID of a span: the last 8 bytes of its trace id, which are random according to W3C Trace Context, followed by the 8
 * bytes of its span id. The UUID thus ends with the span id. A span id of 16 bytes, as LangSmith's runs have it, is the UUID itself.
 */
export const spanUuid = (traceHex: string, spanHex: string): string =>
  traceUuid((traceHex.slice(16) + spanHex).slice(-32));

/** OpenTelemetry trace id: 32 hex digits in lower case, not all zero. */
export const traceIdForm = /^(?!0{32})[0-9a-f]{32}$/;
/** OpenTelemetry span id: 16 hex digits in lower case, not all zero. */
export const spanIdForm = /^(?!0{16})[0-9a-f]{16}$/;

/**
 * Returns the UUID of a span that another product identifies by any text: a UUID or a span id is kept, and another text gives the UUID
 * (version 5) that it names in the namespace of the trace.
 */
export const spanUuidOfText = (traceUuid: string, id: string): string => {
  if (uuidPattern.test(id)) return canonicalUuid(id);
  const hex = id.toLowerCase();
  return spanIdForm.test(hex) ? spanUuid(traceHex(traceUuid), hex) : namedUuid(traceUuid, id);
};

/** All-zero span id, which no valid span has. */
export const noSpanId = "0".repeat(16);
