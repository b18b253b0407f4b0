import type { APIGatewayProxyEvent } from "aws-lambda";
import * as v from "valibot";
import { headerValues } from "../event.ts";
import type { Reply, WireFormat } from "../reply.ts";
import { foreignJsonBody } from "../request-body.ts";
import { httpStatusOf, type MessageHeaders } from "../../mcp/messages.ts";

/** Returns the headers of a request in which newer revisions of the protocol repeat parts of the message. */
export const messageHeaders = (event: APIGatewayProxyEvent): MessageHeaders => {
  const valueOf = (name: string): string | null => headerValues(event, name).join(", ") || null;
  return { version: valueOf("MCP-Protocol-Version"), method: valueOf("Mcp-Method"), name: valueOf("Mcp-Name") };
};

const errorBody = v.looseObject({ detail: v.unknown() });

/** Returns an error reply of the service as an error of JSON-RPC. A body that is not valid is one that is no JSON. */
const errorReply = (reply: Reply): Reply => {
  const { detail, ...data } = v.parse(errorBody, JSON.parse(reply.body));
  const isNoJson = Array.isArray(detail);
  const message = isNoJson ? String(Object(detail[0]).msg) : String(detail);
  const code = isNoJson ? -32_700 : reply.statusCode < 500 ? -32_600 : -32_603;
  const body = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message, data } });
  return { ...reply, statusCode: isNoJson ? 400 : reply.statusCode, body };
};

/** Wire format of the Model Context Protocol over streamable HTTP, in which each reply is a single message in JSON. */
export const mcpFormat: WireFormat = {
  read: (event) => foreignJsonBody(event),
  write: (event, reply) => {
    if (reply.statusCode !== 200) return errorReply(reply);
    if (reply.body === "null") return { ...reply, statusCode: 202, body: "" };
    return { ...reply, statusCode: httpStatusOf(JSON.parse(reply.body), messageHeaders(event)) };
  },
};
