/** Max characters of a reply's text, so that every length prefix in the reply stays below 128 and fits into one byte. */
const maxText = 100;

const varint = (value: number): number[] => {
  const bytes: number[] = [];
  let remaining = value;
  for (; remaining >= 0x80; remaining = Math.floor(remaining / 0x80)) bytes.push((remaining % 0x80) + 0x80);
  return [...bytes, remaining];
};

const shortText = (field: number, text: string): number[] => {
  const ascii = text.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, maxText);
  return ascii === "" ? [] : [field * 8 + 2, ascii.length, ...Buffer.from(ascii, "latin1")];
};

/**
 * Encodes `ExportTraceServiceResponse` in protobuf; the responses for logs and metrics have the same bytes. Empty if all items were
 * accepted.
 */
export const encodeResponse = (rejectedCount: number, errorMessage: string): Buffer => {
  if (rejectedCount === 0 && errorMessage === "") return Buffer.of();
  const rejected = rejectedCount === 0 ? [] : [0x08, ...varint(rejectedCount)];
  const partial = [...rejected, ...shortText(2, errorMessage)];
  return Buffer.from([0x0a, partial.length, ...partial]);
};

/**
 * Encodes `google.rpc.Status` in protobuf. The text is short and ASCII, so that every byte is below 128 and the reply can be sent
 * as text: API Gateway sends binary replies only to clients with a matching `Accept` header, which exporters do not send.
 */
export const encodeStatus = (code: number, message: string): Buffer =>
  Buffer.from([0x08, ...varint(code), ...shortText(2, message)]);
