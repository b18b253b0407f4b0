import type { SSMClient } from "@aws-sdk/client-ssm";
import { NoCredential, unreachableFailure } from "./call-failure.ts";
import type { RequestSigner } from "./provider.ts";

/**
 * Creates a signer for requests to AWS services for which this process has no SDK client (Bedrock), using the credentials and
 * the signer of the SSM client.
 */
export const requestSigner =
  ({ config }: Pick<SSMClient, "config">): RequestSigner =>
  async ({ url, headers, body }, service, region) => {
    try {
      const signer = await config.signer({
        name: "sigv4",
        signingName: service,
        signingRegion: region,
        properties: {},
      });
      const signedRequest = await signer.sign({
        protocol: url.protocol,
        hostname: url.hostname,
        ...(url.port === "" ? {} : { port: Number(url.port) }),
        method: "POST",
        path: url.pathname,
        query: {},
        headers: { ...headers, host: url.host },
        body,
      });
      return signedRequest.headers;
    } catch {
      throw new NoCredential({ ...unreachableFailure, message: "The credentials of this function could not be had." });
    }
  };
