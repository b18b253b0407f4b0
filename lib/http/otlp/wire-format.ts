import type { APIGatewayProxyEvent } from "aws-lambda";
import * as v from "valibot";
import { noGrpc, protobufType } from "../../contract/otlp/fields.ts";
import { invalid, Refusal } from "../../domain/refusal.ts";
import { decodeJson } from "../../otlp/wire/decode-json.ts";
import { decodeMessage, OversizedMessage } from "../../otlp/wire/decode-message.ts";
import { encodeResponse, encodeStatus } from "../../otlp/wire/encode-response.ts";
import {
  exportLogsServiceRequest,
  exportMetricsServiceRequest,
  exportTraceServiceRequest,
  type ProtobufMessage,
} from "../../otlp/wire/protobuf-messages.ts";
import type { RejectionCounter } from "../../otlp/wire/partial-success.ts";
import { MalformedMessage } from "../../otlp/wire/wire-reader.ts";
import { mediaTypeOf } from "../event.ts";
import { checkSize, foreignJsonBody } from "../request-body.ts";
import type { Exchange } from "../exchange.ts";
import type { Reply, WireFormat } from "../reply.ts";

/**
 * Maximum number of messages in a protobuf export; decoded they take less than 200 MB.
 * A span has 4 messages and 2 for each attribute, and an attribute takes over 28 bytes of the 4 MiB body.
 */
const maxMessages = 300_000;

/** Nesting of a JSON body from which on lists and objects become texts: over 200 levels of an attribute's value. */
const maxJsonLevels = 1_000;

/** Returns a hint for the error message if a malformed protobuf body looks like gzip or JSON; otherwise an empty text. */
const guess = (bytes: Buffer): string => {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return " It is gzip: send Content-Encoding: gzip.";
  return /^\s*[{[]/u.test(bytes.toString("latin1", 0, 64)) ? " It is like JSON: send it as application/json." : "";
};

/** Names the setting of exporters that makes a request smaller; the reply in protobuf has room for 100 characters. */
const withBatchSize = (error: unknown): unknown => {
  if (!(error instanceof Refusal) || error.reason.kind !== "too-large") return error;
  const { detail } = error.reason;
  return new Refusal({ kind: "too-large", detail: `${detail} Lower OTEL_BSP_MAX_EXPORT_BATCH_SIZE, e.g. to 100.` });
};

/** Refuses a body of which nothing is known. */
const notKnown = (request: ProtobufMessage): Refusal => {
  const names = Array.from(request.values(), ([name]) => name).join(", ");
  return invalid(["body"], `Nothing is read: the body has no ${names}.`);
};

const readJson = (event: APIGatewayProxyEvent, request: ProtobufMessage, warn: Exchange["warn"]): unknown => {
  const { message, flaws, isKnown } = decodeJson(foreignJsonBody(event, maxJsonLevels), request);
  if (!isKnown) throw notKnown(request);
  for (const flaw of flaws) warn(flaw);
  return message;
};

const readProtobuf = (event: APIGatewayProxyEvent, request: ProtobufMessage, warn: Exchange["warn"]): unknown => {
  const bytes = Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");
  checkSize(bytes.length);
  try {
    const flaws = new Set<string>();
    const message = decodeMessage(bytes, request, maxMessages, flaws);
    if (bytes.length > 0 && Object.keys(message).length === 0) throw notKnown(request);
    for (const flaw of flaws) warn(flaw);
    return message;
  } catch (error) {
    if (error instanceof OversizedMessage)
      throw new Refusal({ kind: "too-large", detail: `The body has more than ${maxMessages} messages in it.` });
    if (error instanceof MalformedMessage) throw invalid(["body"], `${error.message}${guess(bytes)}`);
    throw error;
  }
};

/** Maps a status of the service to a status of OTLP/HTTP, which answers 400 instead of 422 to malformed data. */
const statusOf = (status: number): number => (status === 422 ? 400 : status);

/** Codes of `google.rpc.Code` by HTTP status. */
const codes: Readonly<Record<number, number>> = { 401: 16, 403: 7, 404: 5, 429: 8, 500: 13, 503: 14 };
const invalidArgument = 3;

const successBody = v.object({ partialSuccess: v.optional(v.record(v.string(), v.string())) });
const errorBody = v.object({
  detail: v.union([
    v.string(),
    v.array(v.object({ loc: v.array(v.union([v.string(), v.number()])), msg: v.string() })),
  ]),
});

/** Maximum length of the message in a `google.rpc.Status`, which exporters write to their logs. */
const maxMessageLength = 1_000;

const messageOf = (body: unknown): string => {
  const { detail } = v.parse(errorBody, body);
  if (typeof detail === "string") return detail;
  const message = detail.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; ");
  return message.slice(0, maxMessageLength).toWellFormed();
};

const asText = (bytes: Buffer): Pick<Reply, "body" | "isBase64Encoded"> =>
  bytes.every((byte) => byte < 0x80)
    ? { body: bytes.toString("latin1") }
    : { body: bytes.toString("base64"), isBase64Encoded: true };

/** Creates the wire format of OTLP/HTTP: replies in the encoding of the request, errors as `google.rpc.Status`. */
const otlpFormat = (request: ProtobufMessage, rejected: RejectionCounter): WireFormat => ({
  read: (event, warn) => {
    const type = mediaTypeOf(event);
    if (type !== protobufType && type !== "application/json") {
      const advice = type.startsWith("application/grpc") ? ` ${noGrpc}` : "";
      const detail = `The body must be of the type ${protobufType} or application/json.${advice}`;
      throw new Refusal({ kind: "unsupported-media-type", detail });
    }
    try {
      return (type === protobufType ? readProtobuf : readJson)(event, request, warn);
    } catch (error) {
      throw withBatchSize(error);
    }
  },

  write: (event, reply) => {
    const binary = mediaTypeOf(event) === protobufType;
    const headers: typeof reply.headers = {
      ...reply.headers,
      ...(binary && { "Content-Type": protobufType }),
    };
    const body: unknown = JSON.parse(reply.body);
    if (reply.statusCode < 400) {
      if (!binary) return reply;
      const { [rejected]: count = "0", errorMessage = "" } = v.parse(successBody, body).partialSuccess ?? {};
      return { ...reply, headers, ...asText(encodeResponse(Number(count), errorMessage)) };
    }
    const [statusCode, message] = [statusOf(reply.statusCode), messageOf(body)];
    const code = codes[statusCode] ?? invalidArgument;
    const encoded = binary ? asText(encodeStatus(code, message)) : { body: JSON.stringify({ code, message }) };
    return { ...reply, statusCode, headers, ...encoded };
  },
});

/** Wire formats of OTLP/HTTP for the three signals. */
export const otlpFormats = {
  traces: otlpFormat(exportTraceServiceRequest, "rejectedSpans"),
  logs: otlpFormat(exportLogsServiceRequest, "rejectedLogRecords"),
  metrics: otlpFormat(exportMetricsServiceRequest, "rejectedDataPoints"),
} as const;
