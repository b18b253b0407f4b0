import type { APIGatewayProxyEvent } from "aws-lambda";
import type { IncomingMessage } from "node:http";
import { awsLocation } from "../template/arn.ts";
import type { Api, Operation } from "./api-definition.ts";

type MultiValues = Record<string, string[]>;

/** A request that the gateway is processing, with its matched operation. */
export interface GatewayRequest {
  readonly api: Api;
  readonly operation: Operation;
  readonly requestId: string;
  /** Path as sent by the client, without the query. */
  readonly path: string;
  readonly search: string;
  readonly method: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly message: IncomingMessage;
}

/** Request headers that the gateway does not pass on, because they apply to one connection only. */
const droppedHeaders = new Set(["connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade", "expect"]);

const lastValues = (multiValues: MultiValues): Record<string, string> =>
  Object.fromEntries(Object.entries(multiValues).map(([name, values]) => [name, values.at(-1) ?? ""]));

const collect = (pairs: Iterable<readonly [string, string]>): MultiValues => {
  const multiValues: MultiValues = Object.create(null) as MultiValues;
  for (const [name, value] of pairs) (multiValues[name] ??= []).push(value);
  return multiValues;
};

const headersOf = (message: IncomingMessage): MultiValues => {
  const compressed = message.headers["content-encoding"] !== undefined;
  const pairs: [string, string][] = [];
  const spelling = new Map<string, string>();
  for (let index = 0; index < message.rawHeaders.length; index += 2) {
    const [name = "", value = ""] = message.rawHeaders.slice(index, index + 2);
    const lower = name.toLowerCase();
    if (droppedHeaders.has(lower) || (compressed && (lower === "content-encoding" || lower === "content-length")))
      continue;
    if (!spelling.has(lower)) spelling.set(lower, name);
    pairs.push([spelling.get(lower) ?? name, value]);
  }
  const address = message.socket.remoteAddress ?? "127.0.0.1";
  const forwarded = message.headers["x-forwarded-for"];
  const gatewayHeaders: [string, string][] = [
    ["X-Forwarded-For", forwarded === undefined ? address : `${String(forwarded)}, ${address}`],
    ["X-Forwarded-Port", String(message.socket.localPort)],
    ["X-Forwarded-Proto", "http"],
  ];
  const names = new Set(gatewayHeaders.map(([name]) => name.toLowerCase()));
  return collect([...pairs.filter(([name]) => !names.has(name.toLowerCase())), ...gatewayHeaders]);
};

const orNull = <T extends object>(value: T): T | null => (Object.keys(value).length === 0 ? null : value);

/** Identity fields that only IAM, Cognito and client certificates would fill. */
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

/** Builds `requestContext` of a function's event, without the authorizer's context. */
export const requestContext = (
  request: GatewayRequest,
  apiKey: string | null,
): APIGatewayProxyEvent["requestContext"] => {
  const { api, operation, message, requestId } = request;
  const now = Date.now();
  return {
    accountId: awsLocation.account,
    apiId: api.id,
    authorizer: undefined,
    domainName: `127.0.0.1:${message.socket.localPort ?? 0}`,
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

/** Builds the part of the event that is equal for the authorizer and the function of a REST API. */
export const requestEvent = (request: GatewayRequest) => {
  const headers = headersOf(request.message);
  const query = collect(new URLSearchParams(request.search));
  return {
    resource: request.operation.path,
    path: request.path,
    httpMethod: request.method,
    headers: lastValues(headers),
    multiValueHeaders: headers,
    queryStringParameters: orNull(lastValues(query)),
    multiValueQueryStringParameters: orNull(query),
    pathParameters: orNull({ ...request.parameters }),
    stageVariables: null,
  };
};
