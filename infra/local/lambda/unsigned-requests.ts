import type { HttpRequest } from "@smithy/core/protocols";
import type { directPort } from "../iam/direct-port.ts";

declare global {
  /** Returns the port of the service that a call is for; set in threads whose calls need not pass a guard. */
  var directPortOf: ((call: Parameters<typeof directPort>[1]) => number | undefined) | undefined;
}

interface Credentials {
  readonly accessKeyId: string;
}

interface SignerOptions {
  readonly credentials: Credentials | (() => Promise<Credentials>);
  readonly service: string;
}

interface SigningOptions {
  readonly signingService?: string;
}

/**
 * Replaces the signer of AWS requests in handlers that share code. It names the caller and the service, which the local services read,
 * without computing a signature, which they do not check.
 */
export class SignatureV4 {
  readonly #options: SignerOptions;

  constructor(options: SignerOptions) {
    this.#options = options;
  }

  /** Adds an `Authorization` header without a signature, and sends an allowed call past its guard where that is possible. */
  async sign(request: HttpRequest, { signingService }: SigningOptions = {}): Promise<HttpRequest> {
    const { credentials, service } = this.#options;
    const { accessKeyId } = typeof credentials === "function" ? await credentials() : credentials;
    const scope = `${accessKeyId}/20260101/us-east-1/${signingService ?? service}/aws4_request`;
    request.headers["authorization"] = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`;
    request.headers["x-amz-date"] = "20260101T000000Z";
    const { headers, body, port } = request;
    const directPort = globalThis.directPortOf?.({ accessKeyId, target: headers["x-amz-target"], body, port });
    if (directPort !== undefined) request.port = directPort;
    return request;
  }
}

/** The holder of a signer for several Regions, which an SDK client imports and no function uses. */
export const signatureV4aContainer = { SignatureV4a: null };
