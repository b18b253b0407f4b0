/** Text that a reply carries; with everything around it below 128 bytes, see `encodeStatus`. */
const maxText = 100;

const varint = (value: number): number[] => {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80);
  return [...bytes, rest];
};

const shortText = (field: number, text: string): number[] => {
  const ascii = text.replaceAll(/[^\x20-\x7e]/g, "?").slice(0, maxText);
  return ascii === "" ? [] : [field * 8 + 2, ascii.length, ...Buffer.from(ascii, "latin1")];
};

/** `ExportTraceServiceResponse`, and those of logs and metrics, which are written alike; no bytes when everything was taken. */
export const encodeResponse = (rejectedCount: number, errorMessage: string): Buffer => {
  if (rejectedCount === 0 && errorMessage === "") return Buffer.of();
  const rejected = rejectedCount === 0 ? [] : [0x08, ...varint(rejectedCount)];
  const partial = [...rejected, ...shortText(2, errorMessage)];
  return Buffer.from([0x0a, partial.length, ...partial]);
};

/**
 * `google.rpc.Status`. Its text is short and ASCII, so that every byte is below 128 and the message can travel as text:
 * API Gateway hands out binary replies only to clients that ask for them by `Accept`, which exporters do not.
 */
export const encodeStatus = (code: number, message: string): Buffer =>
  Buffer.from([0x08, ...varint(code), ...shortText(2, message)]);
