import { HttpRequest } from "@smithy/core/protocols";
import { Hash } from "@smithy/core/serde";
import { SignatureV4 } from "@smithy/signature-v4";
import { expect, test } from "vitest";
import { presignedUrl } from "../../../lib/aws/presigned-url.ts";

test.each([undefined, "FwoGZXIvYXdzE/+=(token)"])(
  "a link to a file has the signature that the SDK's signer makes, with a session token %s",
  async (sessionToken) => {
    const keys = { accessKeyId: "AKID", secretAccessKey: "secret" };
    const [region, at] = ["eu-central-1", new Date("2026-11-21T09:05:03.123Z")];
    const path = "/traces/project%3Dp/day%3D2026-11-20/1-a.parquet";
    const hostname = "bucket.s3.eu-central-1.amazonaws.com";

    const link = presignedUrl({
      ...keys,
      sessionToken,
      region,
      at,
      path,
      origin: `https://${hostname}`,
      seconds: 900,
    });

    const credentials = { ...keys, ...(sessionToken !== undefined && { sessionToken }) };
    const sha256 = Hash.bind(null, "sha256");
    const signer = new SignatureV4({ service: "s3", region, credentials, sha256, uriEscapePath: false });
    const headers = { host: hostname, "X-Amz-Content-Sha256": "UNSIGNED-PAYLOAD" };
    const request = new HttpRequest({ protocol: "https:", method: "GET", hostname, path, headers });
    const { query } = await signer.presign(request, { signingDate: at, expiresIn: 900 });
    const { pathname, searchParams } = new URL(link);
    expect([pathname, Object.fromEntries(searchParams)]).toEqual([path, query]);
  },
);
