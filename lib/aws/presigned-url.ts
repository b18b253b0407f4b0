import { createHash, createHmac } from "node:crypto";

/** A GET request of S3 that is signed in its URL, so that it needs no headers. */
interface LinkRequest {
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  /** Origin and host of the bucket, or of another endpoint. */
  readonly origin: string;
  /** Path as it is sent. */
  readonly path: string;
  readonly at: Date;
  /** Seconds for which the link is valid, unless its credentials expire earlier. */
  readonly seconds: number;
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** Encodes a text as canonical requests do (RFC 3986). */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/gu, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

/** Returns a URL with a signature (Signature Version 4), which the SDK's signer makes in a package that the local runtime replaces. */
export const presignedUrl = ({ origin, path, region, at, seconds, ...keys }: LinkRequest): string => {
  const time = at.toISOString().replaceAll(/[-:]|\.\d+/gu, "");
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const parameters: Readonly<Record<string, string>> = {
    "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
    "X-Amz-Content-Sha256": "UNSIGNED-PAYLOAD",
    "X-Amz-Credential": `${keys.accessKeyId}/${scope}`,
    "X-Amz-Date": time,
    "X-Amz-Expires": String(seconds),
    ...(keys.sessionToken !== undefined && { "X-Amz-Security-Token": keys.sessionToken }),
    "X-Amz-SignedHeaders": "host",
  };
  // In the order of their names.
  const query = Object.entries(parameters)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join("&");
  const canonical = ["GET", path, query, `host:${new URL(origin).host}`, "", "host", "UNSIGNED-PAYLOAD"].join("\n");
  const hash = createHash("sha256").update(canonical).digest("hex");
  const key = [time.slice(0, 8), region, "s3", "aws4_request"].reduce<string | Buffer>(
    hmac,
    `AWS4${keys.secretAccessKey}`,
  );
  const signature = hmac(Buffer.from(key), `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash}`).toString("hex");
  return `${origin}${path}?${query}&X-Amz-Signature=${signature}`;
};
