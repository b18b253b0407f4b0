import type { APIGatewayProxyEvent } from "aws-lambda";
import type { IncomingMessage } from "node:http";
import { place } from "../template/arn.ts";
import type { Api, Operation } from "./api-definition.ts";

type Multi = Record<string, string[]>;

/** A request on its way through the gateway. */
export interface GatewayRequest {
  readonly api: Api;
  readonly operation: Operation;
  readonly requestId: string;
  /** As sent, without the query. */
  readonly path: string;
  readonly search: string;
  readonly method: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly message: IncomingMessage;
}

/** Belong to one connection, or are no longer true of the body once the gateway has decompressed it. */
const dropped = new Set(["connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade", "expect"]);

const last = (multi: Multi): Record<string, string> =>
  Object.fromEntries(Object.entries(multi).map(([name, values]) => [name, values.at(-1) ?? ""]));

const collect = (pairs: Iterable<readonly [string, string]>): Multi => {
  const multi: Multi = Object.create(null) as Multi;
  for (const [name, value] of pairs) (multi[name] ??= []).push(value);
  return multi;
};

const headersOf = (message: IncomingMessage): Multi => {
  const compressed = message.headers["content-encoding"] !== undefined;
  const pairs: [string, string][] = [];
  const spelling = new Map<string, string>();
  for (let index = 0; index < message.rawHeaders.length; index += 2) {
    const [name = "", value = ""] = message.rawHeaders.slice(index, index + 2);
    const lower = name.toLowerCase();
    if (dropped.has(lower) || (compressed && (lower === "content-encoding" || lower === "content-length"))) continue;
    if (!spelling.has(lower)) spelling.set(lower, name);
    pairs.push([spelling.get(lower) ?? name, value]);
  }
  const address = message.socket.remoteAddress ?? "127.0.0.1";
  const forwarded = message.headers["x-forwarded-for"];
  const own: [string, string][] = [
    ["X-Forwarded-For", forwarded === undefined ? address : `${String(forwarded)}, ${address}`],
    ["X-Forwarded-Port", String(message.socket.localPort)],
    ["X-Forwarded-Proto", "http"],
  ];
  const names = new Set(own.map(([name]) => name.toLowerCase()));
  return collect([...pairs.filter(([name]) => !names.has(name.toLowerCase())), ...own]);
};

const orNull = <T extends object>(value: T): T | null => (Object.keys(value).length === 0 ? null : value);

/** The identity fields that only IAM, Cognito and client certificates fill. */
const noIdentity = {
  accessKey: null,
  accountId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  user: null,
  userArn: null,
} as const;

/** What `requestContext` says about a request, apart from the caller. */
export const requestContext = (
  request: GatewayRequest,
  apiKey: string | null,
): APIGatewayProxyEvent["requestContext"] => {
  const { api, operation, message, requestId } = request;
  const now = Date.now();
  return {
    accountId: place.account,
    apiId: api.id,
    authorizer: undefined,
    domainName: "127.0.0.1",
    domainPrefix: "127",
    extendedRequestId: requestId,
    httpMethod: request.method,
    identity: {
      ...noIdentity,
      apiKey,
      apiKeyId: apiKey,
      sourceIp: message.socket.remoteAddress ?? "127.0.0.1",
      userAgent: message.headers["user-agent"] ?? null,
    },
    path: request.path,
    protocol: `HTTP/${message.httpVersion}`,
    requestId,
    requestTime: new Date(now).toUTCString(),
    requestTimeEpoch: now,
    resourceId: operation.path,
    resourcePath: operation.path,
    stage: api.stage,
  };
};

/** The parts of a REST API's event that the authorizer and the function both get. */
export const requestEvent = (request: GatewayRequest) => {
  const headers = headersOf(request.message);
  const query = collect(new URLSearchParams(request.search));
  return {
    resource: request.operation.path,
    path: request.path,
    httpMethod: request.method,
    headers: last(headers),
    multiValueHeaders: headers,
    queryStringParameters: orNull(last(query)),
    multiValueQueryStringParameters: orNull(query),
    pathParameters: orNull({ ...request.parameters }),
    stageVariables: null,
  };
};
