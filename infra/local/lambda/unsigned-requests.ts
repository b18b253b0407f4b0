import type { HttpRequest } from "@smithy/core/protocols";

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

  /** Adds an `Authorization` header without a signature. */
  async sign(request: HttpRequest, { signingService }: SigningOptions = {}): Promise<HttpRequest> {
    const { credentials, service } = this.#options;
    const { accessKeyId } = typeof credentials === "function" ? await credentials() : credentials;
    const scope = `${accessKeyId}/20260101/us-east-1/${signingService ?? service}/aws4_request`;
    request.headers["authorization"] = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`;
    request.headers["x-amz-date"] = "20260101T000000Z";
    return request;
  }
}

/** The holder of a signer for several Regions, which an SDK client imports and no function uses. */
export const signatureV4aContainer = { SignatureV4a: null };
