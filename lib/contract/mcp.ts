import * as v from "valibot";
import { route } from "./route.ts";

/** Revisions of the protocol in which every request stands alone, newest first. */
export const statelessRevisions = ["2026-07-28"] as const;

/** Revisions of the protocol that begin with the message `initialize`, newest first. */
export const handshakeRevisions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

/** Not in the OpenAPI document: its bodies are messages of the Model Context Protocol, whose clients need no other description. */
export const exchangeMcpMessages = route({
  id: "exchangeMcpMessages",
  method: "POST",
  idempotency: "none",
  path: "/mcp",
  protocol: "mcp",
  isPageOnly: true,
  // Equal permissions and one log group are one role: the account's roles are counted.
  logsWith: "docs",
  handler: "api/service/exchange-mcp-messages",
  summary: "Exchange messages with coding agents",
  access: "verified",
  body: v.unknown(),
  success: 200,
  reply: v.unknown(),
  grants: {},
  memory: 1_024,
});
