/** 16 bytes in hex digits as a UUID: the digits stay, so that it is the same id in both worlds. */
export const traceUuid = (hex: string): string =>
  [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");

/**
 * The UUID of a span: the last 8 bytes of the trace's id, which W3C wants random, then the 8 of the span's. The span's id is
 * read off its end.
 */
export const spanUuid = (traceHex: string, spanHex: string): string => traceUuid(traceHex.slice(16) + spanHex);
