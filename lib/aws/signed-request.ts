import type { Readable } from "node:stream";
import { HttpRequest } from "@smithy/core/protocols";
import { Hash } from "@smithy/core/serde";
import { SignatureV4 } from "@smithy/signature-v4";

/** A request to an AWS service that is sent without the service's SDK client. */
export interface UnsignedRequest {
  /** Signing name of the service, for example `lambda`. */
  readonly service: string;
  readonly region: string;
  readonly credentials: ConstructorParameters<typeof SignatureV4>[0]["credentials"];
  readonly endpoint: URL;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** A stream needs its SHA-256 in the header `x-amz-content-sha256`. */
  readonly body: string | Readable | undefined;
}

/** Returns a request with the header `host` and a signature (Signature Version 4). */
export const signedRequest = async ({
  service,
  region,
  credentials,
  endpoint,
  method,
  path,
  query = {},
  headers,
  body,
}: UnsignedRequest): Promise<HttpRequest> => {
  const request = new HttpRequest({
    method,
    protocol: endpoint.protocol,
    hostname: endpoint.hostname,
    ...(endpoint.port !== "" && { port: Number(endpoint.port) }),
    path,
    query,
    headers: { host: endpoint.host, ...headers },
    body,
  });
  // S3 alone signs the path as it is sent.
  const uriEscapePath = service !== "s3";
  const signer = new SignatureV4({ service, region, sha256: Hash.bind(null, "sha256"), credentials, uriEscapePath });
  request.headers = (await signer.sign(request)).headers;
  return request;
};
