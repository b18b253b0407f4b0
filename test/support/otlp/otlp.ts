import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { type Headers, requestTimeout } from "../service/client.ts";
import type { Service } from "../service/service.ts";

/** Reply to an export request. */
export interface ExportReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly bytes: Buffer;
}

/** Content types of OTLP/HTTP. */
export const otlpTypes = { protobuf: "application/x-protobuf", json: "application/json" } as const;

/** Sends bytes to an OTLP endpoint. */
export const sendExport = async (
  service: Service,
  credentials: Headers,
  bytes: Uint8Array | string,
  headers: Readonly<Record<string, string>> = { "Content-Type": otlpTypes.protobuf },
  path = "/v1/traces",
): Promise<ExportReply> => {
  const { promise, resolve, reject } = Promise.withResolvers<ExportReply>();
  const sending = request(`${service.baseUrl}${path}`, { method: "POST", signal: AbortSignal.timeout(requestTimeout) });
  sending.on("response", (response) => {
    buffer(response).then(
      (got) => resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: got }),
      reject,
    );
  });
  for (const [name, value] of Object.entries({ ...credentials, ...headers })) {
    if (value !== undefined) sending.setHeader(name, value);
  }
  sending.on("error", reject);
  sending.end(bytes);
  return promise;
};

/** Sends an export request as JSON. */
export const sendJsonExport = (service: Service, credentials: Headers, body: unknown): Promise<ExportReply> =>
  sendExport(service, credentials, JSON.stringify(body), { "Content-Type": otlpTypes.json });

/** Sends gzip-compressed bytes to an OTLP endpoint. */
export const sendGzip = (
  service: Service,
  credentials: Headers,
  bytes: Uint8Array,
  compressed: Uint8Array = gzipSync(bytes),
): Promise<ExportReply> =>
  sendExport(service, credentials, compressed, { "Content-Type": otlpTypes.protobuf, "Content-Encoding": "gzip" });

/** Returns a random id of that many bytes, in hexadecimal digits: 16 for a trace, 8 for a span. */
export const hexId = (bytes: number): string => randomBytes(bytes).toString("hex");

/** A span in OTLP's JSON format. */
export const jsonSpan = (
  traceId: string,
  spanId: string,
  extraFields: Readonly<Record<string, unknown>> = {},
  attributes: Readonly<Record<string, string | boolean>> = {},
) => ({
  traceId,
  spanId,
  name: `span ${spanId}`,
  kind: 1,
  startTimeUnixNano: "1795251600000000000",
  endTimeUnixNano: "1795251601000000000",
  attributes: Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === "boolean" ? { boolValue: value } : { stringValue: value },
  })),
  ...extraFields,
});

/** An export request with spans of one resource and scope. */
export const jsonExport = (spans: readonly unknown[], resource: Readonly<Record<string, string>> = {}) => ({
  resourceSpans: [
    {
      resource: {
        attributes: Object.entries(resource).map(([key, stringValue]) => ({ key, value: { stringValue } })),
      },
      scopeSpans: [{ scope: { name: "test" }, spans }],
    },
  ],
});
