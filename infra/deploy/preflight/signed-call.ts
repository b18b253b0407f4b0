import { signedRequest } from "../../../lib/aws/signed-request.ts";

/** A service without a client among the dependencies: three questions of a deployment are not worth three SDK clients. */
interface Service {
  /** Name in the signature, and in the variable `AWS_ENDPOINT_URL_<NAME>`. */
  readonly name: string;
  /** Region of the signature. */
  readonly region: string;
  readonly host: string;
}

/** Returns the endpoint of a service; the SDKs' standard variables override it. */
const endpointOf = ({ name, host }: Service, environment: NodeJS.ProcessEnv): URL =>
  new URL(
    environment[`AWS_ENDPOINT_URL_${name.toUpperCase()}`] ?? environment["AWS_ENDPOINT_URL"] ?? `https://${host}/`,
  );

/** Milliseconds until a call is given up. */
const timeout = 10_000;

/**
 * Sends a signed request to an AWS service: a query if there are parameters, else a GET of the path.
 *
 * @returns the text of the reply.
 * @throws Error with the service's code, for example `AccessDenied`, or with the status.
 */
export const signedCall = async (
  service: Service,
  request: { readonly path?: string; readonly parameters?: Readonly<Record<string, string>> },
  credentials: Parameters<typeof signedRequest>[0]["credentials"],
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string> => {
  const endpoint = endpointOf(service, environment);
  const { path = "/", parameters } = request;
  const body = parameters && new URLSearchParams(parameters).toString();
  const method = body === undefined ? "GET" : "POST";
  const signed = await signedRequest({
    service: service.name,
    region: service.region,
    credentials,
    endpoint,
    method,
    path,
    headers: body === undefined ? {} : { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
    body,
  });
  const { host: _, ...headers } = signed.headers;
  const reply = await fetch(new URL(path, endpoint), {
    method,
    headers,
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(timeout),
  });
  const text = await reply.text();
  if (reply.ok) return text;
  const code = reply.headers.get("x-amzn-errortype") ?? /<Code>(\w+)<\/Code>/u.exec(text)?.[1];
  throw new Error(code?.split(":")[0] ?? `status ${reply.status}`);
};
