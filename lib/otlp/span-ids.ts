/** 16 bytes in hex digits as a UUID: the digits stay, so that it is the same id in both worlds. */
export const traceUuid = (hex: string): string =>
  [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");

/** The hex digits of a trace's UUID. */
export const traceHex = (uuid: string): string => uuid.replaceAll("-", "");

/**
 * The UUID of a span: the last 8 bytes of the trace's id, which W3C wants random, then the 8 of the span's. The span's id is
 * read off its end.
 */
export const spanUuid = (traceHex: string, spanHex: string): string => traceUuid(traceHex.slice(16) + spanHex);

/** A trace's and a span's id as OpenTelemetry has them: hex digits, not all zero. */
export const traceIdForm = /^(?!0{32})[0-9a-f]{32}$/;
export const spanIdForm = /^(?!0{16})[0-9a-f]{16}$/;

/** The span id that no span has. */
export const noSpan = "0".repeat(16);
