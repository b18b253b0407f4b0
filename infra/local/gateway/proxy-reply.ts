import { asText } from "../host/as-text.ts";
import { GatewayFault, type GatewayReply } from "./gateway-response.ts";
import { isBinary } from "./media-type.ts";

interface Head {
  readonly statusCode: number;
  readonly headers: Record<string, string | readonly string[]>;
}

/** Reply headers of a function that are ignored, because the gateway manages the connection. */
const droppedHeaders = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
  "trailer",
]);

const malformed = (): GatewayFault => new GatewayFault("DEFAULT_5XX");

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** Reads status and headers of a function's reply. @throws GatewayFault 502 when the reply is malformed. */
export const replyHead = (reply: unknown): Head => {
  if (!isRecord(reply)) throw malformed();
  const statusCode = Number(reply["statusCode"]);
  if (!Number.isInteger(statusCode) || statusCode < 100 || statusCode > 599) throw malformed();
  const headers: Head["headers"] = {};
  for (const source of [reply["headers"] ?? {}, reply["multiValueHeaders"] ?? {}]) {
    if (!isRecord(source)) throw malformed();
    for (const [name, value] of Object.entries(source)) {
      if (value === null || droppedHeaders.has(name.toLowerCase())) continue;
      headers[name.toLowerCase()] = Array.isArray(value) ? value.map(asText) : asText(value);
    }
  }
  headers["content-type"] ??= "application/json";
  return { statusCode, headers };
};

/**
 * Reads the reply of a function behind a proxy integration.
 *
 * @param accept the request's `Accept` header: API Gateway decodes base64 when its first type is a binary media type
 * @throws GatewayFault 502 when the reply is malformed
 */
export const proxyReply = (
  payload: string,
  accept: string | undefined,
  binaryMediaTypes: readonly string[],
): GatewayReply => {
  const reply: unknown = JSON.parse(payload);
  const { statusCode, headers } = replyHead(reply);
  const { body = "", isBase64Encoded } = reply as { body?: unknown; isBase64Encoded?: unknown };
  if (body !== null && typeof body !== "string") throw malformed();
  const text = body ?? "";
  const decode = isBase64Encoded === true && isBinary(accept, binaryMediaTypes);
  return { status: statusCode, headers, body: decode ? Buffer.from(text, "base64") : text };
};
