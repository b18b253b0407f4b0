import type { APIGatewayProxyEvent } from "aws-lambda";
import * as v from "valibot";
import { protobufType } from "../../contract/otlp/fields.ts";
import { invalid, Refusal } from "../../domain/refusal.ts";
import { decodeMessage, OversizedMessage } from "../../otlp/decode-message.ts";
import { encodeResponse, encodeStatus } from "../../otlp/encode-response.ts";
import {
  exportLogsServiceRequest,
  exportMetricsServiceRequest,
  exportTraceServiceRequest,
  type Message,
} from "../../otlp/messages.ts";
import type { Rejected } from "../../otlp/partial-success.ts";
import { MalformedMessage } from "../../otlp/wire-reader.ts";
import { headerValues } from "../event.ts";
import { restoreGuarded } from "../json-text.ts";
import type { Reply } from "../reply.ts";
import { checkSize, prepareBody } from "../request-body.ts";
import type { Wire } from "../wire.ts";

const typeOf = (event: APIGatewayProxyEvent): string =>
  (headerValues(event, "Content-Type")[0] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";

/**
 * Messages in an export, and objects and lists of one in JSON: a span has four and two for each attribute, which takes more than
 * 28 bytes of the 4 MiB. As objects so many take less than 200 MB.
 */
const mostParts = 300_000;

/** What bytes are that are no protobuf, as far as their beginning tells. */
const guess = (bytes: Buffer): string => {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return " It is gzip: send Content-Encoding: gzip.";
  return /^\s*[{[]/u.test(bytes.toString("latin1", 0, 64)) ? " It is like JSON: send it as application/json." : "";
};

const readProtobuf = (event: APIGatewayProxyEvent, request: Message): unknown => {
  const bytes = Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");
  checkSize(bytes.length);
  try {
    return decodeMessage(bytes, request, mostParts);
  } catch (error) {
    if (error instanceof OversizedMessage)
      throw new Refusal({ kind: "too-large", detail: `The body has more than ${mostParts} messages in it.` });
    if (error instanceof MalformedMessage) throw invalid(["body"], `${error.message}${guess(bytes)}`);
    throw error;
  }
};

const readJson = (event: APIGatewayProxyEvent): unknown => {
  prepareBody(event, "value", mostParts);
  try {
    return JSON.parse(event.body ?? "", restoreGuarded);
  } catch {
    throw invalid(["body"], "JSON decode error");
  }
};

/** What is answered to a request whose data cannot be read is 400 in OTLP: exporters know no 422. */
const statusOf = (ours: number): number => (ours === 422 ? 400 : ours);

/** Codes of `google.rpc.Code`. */
const codes: Readonly<Record<number, number>> = { 401: 16, 403: 7, 404: 5, 429: 8, 500: 13, 503: 14 };
const invalidArgument = 3;

const answered = v.object({ partialSuccess: v.optional(v.record(v.string(), v.string())) });
const refused = v.object({
  detail: v.union([
    v.string(),
    v.array(v.object({ loc: v.array(v.union([v.string(), v.number()])), msg: v.string() })),
  ]),
});

/** Characters of a status in JSON: exporters put it into their logs. */
const longestMessage = 1_000;

const messageOf = (body: unknown): string => {
  const { detail } = v.parse(refused, body);
  if (typeof detail === "string") return detail;
  const told = detail.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; ");
  return told.slice(0, longestMessage).toWellFormed();
};

const asText = (bytes: Buffer): Pick<Reply, "body" | "isBase64Encoded"> =>
  bytes.every((byte) => byte < 0x80)
    ? { body: bytes.toString("latin1") }
    : { body: bytes.toString("base64"), isBase64Encoded: true };

/** OTLP/HTTP: a reply in the encoding of its request, errors as `google.rpc.Status`. */
const otlpWire = (request: Message, rejected: Rejected): Wire => ({
  read: (event) => {
    const type = typeOf(event);
    if (type === protobufType) return readProtobuf(event, request);
    if (type === "application/json") return readJson(event);
    const detail = `The body must be of the type ${protobufType} or application/json.`;
    throw new Refusal({ kind: "unsupported-media-type", detail });
  },

  write: (event, reply) => {
    const binary = typeOf(event) === protobufType;
    const headers = { ...reply.headers, ...(binary && { "Content-Type": protobufType }) };
    const body: unknown = JSON.parse(reply.body);
    if (reply.statusCode < 400) {
      if (!binary) return reply;
      const { [rejected]: count = "0", errorMessage = "" } = v.parse(answered, body).partialSuccess ?? {};
      return { ...reply, headers, ...asText(encodeResponse(Number(count), errorMessage)) };
    }
    const [statusCode, message] = [statusOf(reply.statusCode), messageOf(body)];
    const code = codes[statusCode] ?? invalidArgument;
    const said = binary ? asText(encodeStatus(code, message)) : { body: JSON.stringify({ code, message }) };
    return { ...reply, statusCode, headers, ...said };
  },
});

/** OTLP/HTTP for what its exporters send. */
export const otlpWires = {
  traces: otlpWire(exportTraceServiceRequest, "rejectedSpans"),
  logs: otlpWire(exportLogsServiceRequest, "rejectedLogRecords"),
  metrics: otlpWire(exportMetricsServiceRequest, "rejectedDataPoints"),
} as const;
