import type { SSMClient } from "@aws-sdk/client-ssm";
import { NoCredential, unreachable } from "./call-failure.ts";
import type { Sign } from "./provider.ts";

/**
 * Signs requests to AWS services that no SDK client here speaks to, with the credentials and the signer of a client that is
 * there anyway.
 */
export const requestSigner =
  ({ config }: Pick<SSMClient, "config">): Sign =>
  async ({ url, headers, body }, service, region) => {
    try {
      const signer = await config.signer({
        name: "sigv4",
        signingName: service,
        signingRegion: region,
        properties: {},
      });
      const signed = await signer.sign({
        protocol: url.protocol,
        hostname: url.hostname,
        ...(url.port === "" ? {} : { port: Number(url.port) }),
        method: "POST",
        path: url.pathname,
        query: {},
        headers: { ...headers, host: url.host },
        body,
      });
      return signed.headers;
    } catch {
      throw new NoCredential({ ...unreachable, message: "The credentials of this function could not be had." });
    }
  };
