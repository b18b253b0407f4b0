import type { UnsignedRequest } from "./signed-request.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the Region and the credentials of a function's environment. */
export const signerOf = (environment: Environment): Pick<UnsignedRequest, "region" | "credentials"> => ({
  region: environment["AWS_REGION"] ?? "",
  credentials: {
    accessKeyId: environment["AWS_ACCESS_KEY_ID"] ?? "",
    secretAccessKey: environment["AWS_SECRET_ACCESS_KEY"] ?? "",
    ...(environment["AWS_SESSION_TOKEN"] !== undefined && { sessionToken: environment["AWS_SESSION_TOKEN"] }),
  },
});

/** Returns the suffix of AWS's domain names in a Region. */
export const awsDomain = (region: string): string => `amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
