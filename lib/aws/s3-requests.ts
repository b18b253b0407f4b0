import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { boundedHandler } from "./aws-client.ts";
import type { CallBounds } from "./call-bounds.ts";
import { awsDomain, signerOf, type Environment } from "./environment-credentials.ts";
import { presignedUrl } from "./presigned-url.ts";
import { signedRequest, type UnsignedRequest } from "./signed-request.ts";

/** A request to a bucket. */
export interface BucketRequest extends Pick<UnsignedRequest, "method"> {
  /** Key of the object without a slash in front; empty for the bucket. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Creates the body of each attempt. */
  readonly body?: () => UnsignedRequest["body"];
}

/** Thrown for a reply of S3 with another status than 200 to 299; it counts as an outage if another attempt may succeed. */
export class S3Error extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
    this.name = isTransient(status) ? "ServiceUnavailable" : "S3Error";
  }
}

const isTransient = (status: number): boolean => status === 429 || status >= 500;

/** SHA-256 of an empty body. */
const emptySum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** Returns the URL of a bucket; the SDKs' standard variable for another endpoint has the bucket in its path. */
const bucketUrl = (bucket: string, region: string, endpoint: string | undefined): URL =>
  endpoint === undefined
    ? new URL(`https://${bucket}.s3.${region}.${awsDomain(region)}/`)
    : new URL(`${endpoint.replace(/\/$/u, "")}/${bucket}/`);

/** Returns the parts of a request for an object that its signature needs; an empty key is the bucket. */
const requestFor = (bucket: string, key: string, environment: Environment) => {
  const signer = signerOf(environment);
  const endpoint = bucketUrl(bucket, signer.region, environment["AWS_ENDPOINT_URL_S3"]);
  const path = `${endpoint.pathname}${key.split("/").map(encodeURIComponent).join("/")}`;
  return { ...signer, service: "s3", endpoint, path };
};

/** Returns a link with which anybody can download an object for some seconds; it ends earlier with the function's credentials. */
export const objectLink = (
  bucket: string,
  key: string,
  seconds: number,
  environment: Environment = process.env,
): string => {
  const { credentials, endpoint, path, region } = requestFor(bucket, key, environment);
  return presignedUrl({ ...credentials, origin: endpoint.origin, path, region, at: new Date(), seconds });
};

/**
 * Returns a function that sends requests to a bucket, with the Region and credentials of the environment. It works without the SDK's
 * client of S3, which would be a package more for four requests.
 *
 * @throws S3Error for any status but 200 to 299, after the attempts of the bounds if S3 throttles or is unavailable.
 */
export const s3Requests = (bucket: string, bounds: CallBounds, environment: Environment = process.env) => {
  const handler = boundedHandler(bounds);

  const attempt = async ({ method, key, query = {}, headers = {}, body }: BucketRequest) => {
    const request = await signedRequest({
      ...requestFor(bucket, key, environment),
      method,
      query,
      headers: { "x-amz-content-sha256": emptySum, ...headers },
      body: body?.(),
    });
    const { response } = await handler.handle(request);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the handler returns bodies as streams.
    return { status: response.statusCode, body: response.body as IncomingMessage };
  };

  return async (request: BucketRequest): Promise<IncomingMessage> => {
    for (let attempts = 1; ; attempts += 1) {
      const isLast = attempts === bounds.attempts;
      try {
        const { status, body } = await attempt(request);
        if (status >= 200 && status < 300) return body;
        const detail = /<Code>(?<code>\w+)<\/Code>/u.exec(await text(body))?.groups?.["code"] ?? "";
        const message = `S3 answered ${status} ${detail} to ${request.method} ${request.key}.`;
        if (isLast || !isTransient(status)) throw new S3Error(status, message);
      } catch (error) {
        if (isLast || error instanceof S3Error) throw error;
      }
      await wait(Math.random() * bounds.pause);
    }
  };
};
