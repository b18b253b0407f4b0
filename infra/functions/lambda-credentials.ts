/** AWS credentials in the form that SDK clients expect. */
interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/**
 * Returns a provider of the credentials of the function's role, which Lambda puts into the environment. Bundles use this module
 * instead of the SDK's provider chain, which would add clients of STS and SSO to every bundle.
 *
 * @throws Error if the environment has no credentials.
 */
export const defaultProvider = () => async (): Promise<Credentials> => {
  const { AWS_ACCESS_KEY_ID: key, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = process.env;
  if (key === undefined || secret === undefined) throw new Error("The environment has no AWS credentials.");
  return { accessKeyId: key, secretAccessKey: secret, ...(token !== undefined && { sessionToken: token }) };
};
