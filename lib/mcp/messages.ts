import * as v from "valibot";
import { handshakeRevisions, statelessRevisions } from "../contract/mcp.ts";
import { dataMarkMeaning } from "./data-mark.ts";
import type { Tool } from "./tool.ts";

/** Headers of a request in which newer revisions repeat parts of the message; null if absent. */
export interface MessageHeaders {
  readonly version: string | null;
  readonly method: string | null;
  readonly name: string | null;
}

/** The server to which a message is addressed. */
export interface Server {
  /** Version of the build. */
  readonly version: string;
  /** Tools that the caller may use. */
  readonly tools: readonly Tool[];
  /** Runs a tool. Errors of the call are a part of the answer, so that the model can mend it. */
  readonly call: (tool: Tool, input: unknown) => Promise<{ readonly text: string; readonly isError: boolean }>;
}

type Id = string | number | null;

/** A reply in JSON-RPC 2.0. */
export type McpReply = { readonly jsonrpc: "2.0"; readonly id: Id } & (
  | { readonly result: object }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
);

const codes = {
  invalidRequest: -32_600,
  unknownMethod: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  headerMismatch: -32_020,
  unsupportedVersion: -32_022,
} as const;

class MessageError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const params = v.looseObject({ _meta: v.optional(v.record(v.string(), v.unknown())) });
const request = v.looseObject({
  jsonrpc: v.literal("2.0"),
  id: v.optional(v.union([v.string(), v.number()])),
  method: v.string(),
  params: v.optional(params, {}),
});
/** Replies to requests of the server, which sends none: they are accepted and ignored. */
const response = v.union([v.looseObject({ result: v.unknown() }), v.looseObject({ error: v.unknown() })]);

type Request = v.InferOutput<typeof request>;

const isIn = (revisions: readonly string[], value: unknown): boolean =>
  typeof value === "string" && revisions.includes(value);

const prefix = "io.modelcontextprotocol/";

const instructions =
  "Assay stores traces of LLM agents and judges them. To explain a failure: find_traces with failed=true, then show_trace. " +
  `Where these tools end, search_docs has the HTTP interface. ${dataMarkMeaning}`;

/** Decodes a header value that the client has encoded because it is not printable ASCII. */
const decoded = (value: string | null): string | null => {
  const payload = /^=\?base64\?(.*)\?=$/u.exec(value ?? "")?.[1];
  return payload === undefined ? value : Buffer.from(payload, "base64").toString();
};

/** Checks that a stateless message says the same as its headers, as proxies read only these. @throws MessageError if it does not. */
const checkHeaders = ({ method, params: { _meta: meta, name } }: Request, headers: MessageHeaders): void => {
  const version = meta?.[`${prefix}protocolVersion`];
  if (version === undefined || meta?.[`${prefix}clientCapabilities`] === undefined)
    throw new MessageError(
      codes.invalidParams,
      `params._meta needs ${prefix}protocolVersion and ${prefix}clientCapabilities.`,
    );
  const mismatch = [
    ["MCP-Protocol-Version", headers.version, version] as const,
    ["Mcp-Method", headers.method, method] as const,
    ...(method === "tools/call" ? [["Mcp-Name", decoded(headers.name), name] as const] : []),
  ].find(([, header, value]) => header !== value);
  if (mismatch !== undefined)
    throw new MessageError(codes.headerMismatch, `The header ${mismatch[0]} differs from the message.`);
};

const checkVersion = ({ version }: MessageHeaders): void => {
  if (version === null || isIn([...handshakeRevisions, ...statelessRevisions], version)) return;
  const supported = [...statelessRevisions, ...handshakeRevisions];
  throw new MessageError(codes.unsupportedVersion, "Unsupported protocol version", { supported, requested: version });
};

const call = async ({ params: { name, arguments: input = {} } }: Request, server: Server): Promise<object> => {
  const tool = server.tools.find((each) => each.name === name);
  if (tool === undefined) throw new MessageError(codes.invalidParams, `Unknown tool: ${String(name)}`);
  const { text, isError } = await server.call(tool, input);
  return { content: [{ type: "text", text }], isError };
};

const describe = ({ name, description, inputSchema, permission }: Tool): object => ({
  name,
  description,
  inputSchema,
  annotations: { readOnlyHint: permission !== "write" || name === "estimate_run", destructiveHint: false },
});

/** Results that clients may keep for five minutes, for one caller. */
const cacheable = { ttlMs: 300_000, cacheScope: "private" } as const;

const resultOf = async (message: Request, isStateless: boolean, server: Server): Promise<object> => {
  const serverInfo = { name: "assay", title: "Assay", version: server.version };
  const capabilities = { tools: {} };
  switch (message.method) {
    case "initialize": {
      const requested = message.params["protocolVersion"];
      const protocolVersion = isIn(handshakeRevisions, requested) ? requested : handshakeRevisions[0];
      return { protocolVersion, capabilities, serverInfo, instructions };
    }
    case "server/discover":
      return {
        supportedVersions: [...statelessRevisions, ...handshakeRevisions],
        capabilities,
        instructions,
        ...cacheable,
      };
    case "ping":
      return {};
    case "tools/list":
      return { tools: server.tools.map(describe), ...(isStateless && cacheable) };
    case "tools/call":
      return call(message, server);
    default:
      throw new MessageError(codes.unknownMethod, `Unknown method: ${message.method}`);
  }
};

/** Answers one message. @returns null for a notification, which has no reply. */
const answerOne = async (value: unknown, headers: MessageHeaders, server: Server): Promise<McpReply | null> => {
  const parsed = v.safeParse(request, value);
  const id = parsed.success ? (parsed.output.id ?? null) : null;
  try {
    checkVersion(headers);
    if (!parsed.success) {
      if (v.is(response, value)) return null;
      throw new MessageError(codes.invalidRequest, "The body is no message of JSON-RPC 2.0.");
    }
    const message = parsed.output;
    if (message.id === undefined) return null;
    const { _meta: meta } = message.params;
    const version = meta?.[`${prefix}protocolVersion`];
    const isStateless = isIn(statelessRevisions, headers.version) || isIn(statelessRevisions, version);
    if (isStateless) checkHeaders(message, headers);
    const result = await resultOf(message, isStateless, server);
    const about = {
      resultType: "complete",
      _meta: { [`${prefix}serverInfo`]: { name: "assay", version: server.version } },
    };
    return { jsonrpc: "2.0", id, result: isStateless ? { ...result, ...about } : result };
  } catch (error) {
    if (!(error instanceof MessageError)) throw error;
    const { code, message, data } = error;
    return { jsonrpc: "2.0", id, error: { code, message, ...(data !== undefined && { data }) } };
  }
};

/** Most messages of a batch, which are answered one after the other. */
const maxBatch = 10;

/** Answers a body: a message, or a batch of them, which one revision knows. @returns null if nothing is to be answered. */
export const answerMessages = async (
  body: unknown,
  headers: MessageHeaders,
  server: Server,
): Promise<McpReply | readonly McpReply[] | null> => {
  if (!Array.isArray(body)) return answerOne(body, headers, server);
  const refused = (message: string): McpReply => ({
    jsonrpc: "2.0",
    id: null,
    error: { code: codes.invalidRequest, message },
  });
  if (headers.version !== null && headers.version !== "2025-03-26" && headers.version !== "2024-11-05")
    return refused("This protocol version has no batches.");
  if (body.length === 0 || body.length > maxBatch) return refused(`A batch has 1 to ${maxBatch} messages.`);
  const replies: McpReply[] = [];
  for (const each of body) {
    const reply = await answerOne(each, headers, server);
    if (reply !== null) replies.push(reply);
  }
  return replies.length === 0 ? null : replies;
};

/** HTTP status of a reply: revisions without sessions name errors of the message by it, earlier ones answer 200. */
export const httpStatusOf = (reply: unknown, { version }: MessageHeaders): number => {
  const code: unknown = Object(Object(reply).error).code;
  const isNamed = version !== null && !isIn(handshakeRevisions, version);
  if (code === undefined || !isNamed) return code === codes.invalidRequest ? 400 : 200;
  return code === codes.unknownMethod ? 404 : code === codes.internal ? 200 : 400;
};
