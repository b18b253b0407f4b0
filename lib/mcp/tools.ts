import { hasPermission, type KeyAccess } from "../domain/access/key-scope.ts";
import type { Tool } from "./tool.ts";
import { compare, gate } from "./tools/experiments.ts";
import { estimateRunTool, startRunTool } from "./tools/runs.ts";
import { searchDocs } from "./tools/search-docs.ts";
import { findTraces, showSpan, showTrace } from "./tools/traces.ts";
import { whyNoScore } from "./tools/why-no-score.ts";

const tools: readonly Tool[] = [
  findTraces,
  showTrace,
  showSpan,
  whyNoScore,
  compare,
  estimateRunTool,
  startRunTool,
  gate,
  searchDocs,
];

/**
 * Returns the tools that a caller may use; the service checks each call again.
 *
 * @param access access of the caller's API key; null for a user, whose role the called routes look up.
 */
export const toolsFor = (access: KeyAccess | null): readonly Tool[] =>
  tools.filter(({ permission }) => permission === null || access === null || hasPermission(access, permission));
