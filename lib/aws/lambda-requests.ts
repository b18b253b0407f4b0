import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { boundedHandler } from "./aws-client.ts";
import type { CallBounds } from "./call-bounds.ts";
import { awsDomain, signerOf, type Environment } from "./environment-credentials.ts";
import { signedRequest, type UnsignedRequest } from "./signed-request.ts";

/** Reply of Lambda's REST API. */
interface LambdaReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly reply: string;
}

/** Returns the endpoint of Lambda; the SDKs' standard variable overrides it. */
const endpointOf = (region: string, environment: Environment): URL =>
  new URL(environment["AWS_ENDPOINT_URL_LAMBDA"] ?? `https://lambda.${region}.${awsDomain(region)}`);

/**
 * Returns a function that sends a request to Lambda's REST API once, with the Region and credentials of the environment. It
 * works without the SDK's Lambda client, which would be in the bundle of every endpoint for one request per project.
 */
export const lambdaRequests = (bounds: CallBounds, environment: Environment = process.env) => {
  const handler = boundedHandler(bounds);
  return async (request: Pick<UnsignedRequest, "method" | "path" | "headers" | "body">): Promise<LambdaReply> => {
    const signer = signerOf(environment);
    const endpoint = endpointOf(signer.region, environment);
    const signed = await signedRequest({ ...request, ...signer, service: "lambda", endpoint });
    const { response } = await handler.handle(signed);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the handler returns bodies as streams.
    const reply = await text(response.body as Readable);
    return { status: response.statusCode, headers: response.headers, reply };
  };
};

/**
 * Returns a function that reads whether an event source mapping is switched on, by its id.
 *
 * @throws Error if Lambda does not answer 200.
 */
export const mappingStates = (bounds: CallBounds, environment: Environment = process.env) => {
  const send = lambdaRequests(bounds, environment);
  return async (id: string): Promise<boolean> => {
    const path = `/2015-03-31/event-source-mappings/${encodeURIComponent(id)}`;
    const { status, reply } = await send({ method: "GET", path, headers: {}, body: undefined });
    if (status !== 200) throw new Error(`The mapping ${id} could not be read (${status}).`);
    return !String(Object(JSON.parse(reply))["State"]).startsWith("Disabl");
  };
};
