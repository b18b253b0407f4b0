import { createClient } from "../../../lib/client/client.ts";
import { ApiError, ConnectionError } from "../../../lib/client/errors.ts";
import { exchangeMcpMessages } from "../../../lib/contract/mcp.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { gatewayUrlOf } from "../../../lib/http/event.ts";
import { callerHeaders, requireKnownOrigin } from "../../../lib/http/mcp/caller.ts";
import { mcpFormat, messageHeaders } from "../../../lib/http/mcp/wire-format.ts";
import { answerMessages } from "../../../lib/mcp/messages.ts";
import type { Service, Tool } from "../../../lib/mcp/tool.ts";
import { ToolError } from "../../../lib/mcp/tool-error.ts";
import { toolsFor } from "../../../lib/mcp/tools.ts";
import { environmentVerifiedGuard } from "../../../lib/wiring/access-guards.ts";
import { required, variables } from "../../../lib/wiring/environment.ts";

const version = required(variables.version);
const guard = environmentVerifiedGuard();

/** Milliseconds that all calls of a request share: the gateway gives up after 29 s. */
const callMilliseconds = 24_000;

/** Returns the service at the gateway's own address, called with the credential of a request and nothing else. */
const serviceOf = (url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Service => {
  const send: typeof globalThis.fetch = (address, init) => {
    const allHeaders = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headers)) allHeaders.set(name, value);
    const signals = [signal, ...(init?.signal ? [init.signal] : [])];
    // A redirect would carry the credential elsewhere.
    return fetch(address, { ...init, headers: allHeaders, redirect: "error", signal: AbortSignal.any(signals) });
  };
  return {
    url,
    client: createClient({ baseUrl: url, retries: 1, fetch: send }),
    readText: async (path) => {
      const response = await fetch(`${url}${path}`, { signal, redirect: "error" }).catch((cause: unknown) => {
        throw new ConnectionError("The service could not be reached.", { cause });
      });
      if (response.status === 404)
        throw new ToolError("There is no such page: search_docs with a query finds the topics.");
      if (!response.ok) throw new ToolError(`The documentation answered ${response.status}. Try again.`);
      return response.text();
    },
  };
};

/** Returns what the model is told of an error. @throws the error if it is a fault of this function. */
const errorText = (error: unknown, { aborted }: AbortSignal): string => {
  if (aborted) return "The service did not answer in time. Ask for less: a shorter time range, or a smaller limit.";
  if (error instanceof ToolError) return error.message;
  if (error instanceof ApiError) {
    const { message, status, code, requestId, retryAfter } = error;
    const wait = retryAfter === null ? "" : ` Wait ${Math.ceil(retryAfter / 1_000)} s.`;
    return `${message} (HTTP ${status}, ${code ?? "no code"}, request ${requestId ?? "unknown"}).${wait}`;
  }
  if (error instanceof ConnectionError) return `${error.message} Its operator may limit from where it is called.`;
  throw error;
};

export const handler = endpoint(
  exchangeMcpMessages,
  guard,
  async ({ event, body, keyAccess, requestId }) => {
    const url = gatewayUrlOf(event);
    requireKnownOrigin(event, [...(guard.origins ?? []), new URL(url).origin]);
    const signal = AbortSignal.timeout(callMilliseconds);
    const service = serviceOf(url, callerHeaders(event, requestId), signal);
    const call = async (tool: Tool, input: unknown) => {
      try {
        return { text: await tool.run(input, service), isError: false };
      } catch (error) {
        return { text: errorText(error, signal), isError: true };
      }
    };
    return answerMessages(body, messageHeaders(event), { version, tools: toolsFor(keyAccess), call });
  },
  mcpFormat,
);
