export type Environment = Readonly<Record<string, string | undefined>>;

/** Region and credentials with which a function signs its requests. */
interface Signer {
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

/** Returns the Region and the credentials of a function's environment. */
export const signerOf = (environment: Environment): Signer => ({
  region: environment["AWS_REGION"] ?? "",
  credentials: {
    accessKeyId: environment["AWS_ACCESS_KEY_ID"] ?? "",
    secretAccessKey: environment["AWS_SECRET_ACCESS_KEY"] ?? "",
    ...(environment["AWS_SESSION_TOKEN"] !== undefined && { sessionToken: environment["AWS_SESSION_TOKEN"] }),
  },
});

/** Returns the suffix of AWS's domain names in a Region. */
export const awsDomain = (region: string): string => `amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
