import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  STATUS_CODES,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { listenOnLoopback, type Endpoint } from "../host/loopback-server.ts";
import type { Functions } from "../lambda/functions.ts";
import type { Api, Operation } from "./api-definition.ts";
import { authorize } from "./authorizer.ts";
import { GatewayFault, plainHttpHeaders, replyTo, type GatewayReply } from "./gateway-response.ts";
import { mockReply } from "./mock-integration.ts";
import { compressedReply } from "./reply-compression.ts";
import { callFunction, streamFunction } from "./proxy-integration.ts";
import type { GatewayRequest } from "./proxy-event.ts";
import type { OneTimeSignIn } from "./one-time-sign-in.ts";
import { requestBody } from "./request-body.ts";
import { addDeveloperCredential } from "./developer-credential.ts";
import { routeTable } from "./route-table.ts";
import type { UsagePlans } from "./usage-plan.ts";

/** Milliseconds that an idle connection stays open, long enough that clients do not reuse a closed connection. */
const keepAliveTimeout = 350_000;

const asFault = (error: unknown): GatewayFault =>
  error instanceof GatewayFault ? error : new GatewayFault("DEFAULT_5XX", {}, 500);

/** Values of `$context` in mapping templates: the request id and the address that received the request. */
const contextOf = (requestId: string, { localAddress = "127.0.0.1", localPort = 0 }: Socket) => ({
  requestId,
  domainName: `${localAddress}:${localPort}`,
});

/** Error of Node's HTTP parser for a malformed request. */
type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/** Answers malformed requests, which Node refuses before any handler runs, with the API's gateway response. */
const refuseMalformed = (api: Api) => (error: ParserError, socket: Socket) => {
  if (error.code === "ECONNRESET" || !socket.writable) return;
  const status = error.code === "HPE_HEADER_OVERFLOW" ? 431 : 400;
  const fault = new GatewayFault("DEFAULT_4XX", {}, status);
  const reply = replyTo(fault, api.responses, contextOf(crypto.randomUUID(), socket));
  const headers = Object.entries(plainHttpHeaders(reply.headers)).map(
    ([name, value]) => `${name}: ${String(value)}\r\n`,
  );
  const length = Buffer.byteLength(reply.body);
  // A reply to HEAD has no body: the client would read it as the start of the next reply.
  const body = error.rawPacket?.toString("latin1", 0, 5) === "HEAD " ? "" : String(reply.body);
  socket.end(
    `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status] ?? ""}\r\n${headers.join("")}` +
      `content-length: ${length}\r\nconnection: close\r\n\r\n${body}`,
  );
};

/** Access to the service that only this machine's runtime has. */
export interface LocalAccess {
  /** Issues the bearer token for requests without a credential; such requests are refused when absent. */
  readonly anonymousToken?: () => Promise<string>;
  /** Exchanges the one-time values of the console's address for sessions. */
  readonly signIn?: OneTimeSignIn;
}

/**
 * Starts API Gateway's REST API in front of the functions, with the paths, authorizers, mocks and replies of the OpenAPI body.
 *
 * Not supported: authorizer caching, request validators, models, Velocity, quotas, stage and account throttles,
 * custom domains (but the path has no stage, as with a custom domain), CORS beyond the methods of the body, WAF, access logs. Header
 * names keep their spelling; `Content-Encoding` is dropped once a body is decompressed.
 *
 * @param local what a deployment does not have
 */
export const startGateway = async (
  api: Api,
  functions: Functions,
  plans: UsagePlans,
  port: number,
  local: LocalAccess = {},
): Promise<Endpoint> => {
  const byPath = new Map<string, Map<string, Operation>>();
  for (const operation of api.operations) {
    const methods = byPath.get(operation.path) ?? new Map<string, Operation>();
    byPath.set(operation.path, methods.set(operation.method, operation));
  }
  const match = routeTable(byPath);

  const route = (message: IncomingMessage, requestId: string): GatewayRequest => {
    const { url = "/", method = "GET", headers } = message;
    if (headers.host === undefined) throw new GatewayFault("DEFAULT_4XX");
    if (headers.expect !== undefined && headers.expect.toLowerCase() !== "100-continue")
      throw new GatewayFault("DEFAULT_4XX", {}, 417);
    const [path = "/", search = ""] = url.split(/\?(.*)/s);
    let routeMatch: ReturnType<typeof match>;
    try {
      routeMatch = match(path);
    } catch {
      throw new GatewayFault("DEFAULT_4XX");
    }
    const operation = routeMatch?.value.get(method) ?? routeMatch?.value.get("ANY");
    if (routeMatch === undefined || operation === undefined) throw new GatewayFault("MISSING_AUTHENTICATION_TOKEN");
    return { api, operation, requestId, path, search, method, parameters: routeMatch.parameters, message };
  };

  const answer = async (request: GatewayRequest, response: ServerResponse): Promise<GatewayReply | undefined> => {
    const { operation, requestId, message } = request;
    const body = await requestBody(message);
    if (local.anonymousToken !== undefined && operation.authorizer !== undefined)
      await addDeveloperCredential(message, local.anonymousToken);
    const authorization = operation.authorizer && (await authorize(functions, operation.authorizer, request));
    if (operation.needsKey) plans.admit(authorization?.usageKey, operation.path, operation.method);
    const { type, responseTransferMode } = operation.integration;
    const compress = (reply: GatewayReply): Promise<GatewayReply> =>
      compressedReply(reply, api.minimumCompressionSize, message.headers["accept-encoding"] ?? "");
    if (type.toLowerCase() === "mock")
      return compress(
        mockReply(
          operation.integration,
          { ...contextOf(requestId, message.socket), path: request.path },
          message.headers,
        ),
      );
    if (responseTransferMode !== "STREAM") return compress(await callFunction(functions, request, authorization, body));
    await streamFunction(functions, request, authorization, body, response, { "x-amzn-requestid": requestId });
    return undefined;
  };

  const respond = (response: ServerResponse, requestId: string, reply: GatewayReply): void => {
    // The length in a 304 would have to be that of the cached body, which is not known here.
    const length = reply.status === 304 ? {} : { "content-length": Buffer.byteLength(reply.body) };
    const baseHeaders = { "x-amzn-requestid": requestId, ...length };
    response.writeHead(reply.status, { ...baseHeaders, ...plainHttpHeaders(reply.headers) } as OutgoingHttpHeaders);
    response.end(reply.body);
  };

  const serve: RequestListener = (message, response) => {
    const requestId = crypto.randomUUID();
    const refuse = (error: unknown): void => {
      message.resume();
      if (response.headersSent) response.destroy();
      else respond(response, requestId, replyTo(asFault(error), api.responses, contextOf(requestId, message.socket)));
    };
    const handle = async (): Promise<void> => {
      const reply = (await local.signIn?.answer(message)) ?? (await answer(route(message, requestId), response));
      if (reply !== undefined) respond(response, requestId, reply);
    };
    handle().catch(refuse);
  };
  const server = createServer({ requireHostHeader: false, keepAliveTimeout }, serve);
  server.on("checkExpectation", serve);
  server.on("clientError", refuseMalformed(api));
  server.on("connect", (_message, socket: Socket) =>
    refuseMalformed(api)(Object.assign(new Error("CONNECT"), { code: "CONNECT" }), socket),
  );
  return listenOnLoopback(server, port);
};
