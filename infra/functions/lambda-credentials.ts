/** Credentials as an SDK client asks for them. */
interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/**
 * The credentials of the role that a function runs with: Lambda puts them into its environment. In bundles this stands in
 * place of the SDK's chain of providers, whose clients of STS and SSO would lie in every one of them.
 */
export const defaultProvider = () => async (): Promise<Credentials> => {
  const { AWS_ACCESS_KEY_ID: key, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = process.env;
  if (key === undefined || secret === undefined) throw new Error("The environment has no credentials of a role.");
  return { accessKeyId: key, secretAccessKey: secret, ...(token !== undefined && { sessionToken: token }) };
};
