import { isObject, type Json } from "../../domain/json.ts";
import { parseText } from "./json.ts";

/** A tool that a request offers to the model. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the arguments; null without one. */
  readonly parameters: Json;
}

const toolOf = (value: Json): readonly OfferedTool[] => {
  const tool = parseText(value);
  if (!isObject(tool)) return [];
  // Gemini and Vertex AI list functions within a tool, Bedrock wraps a tool in its specification.
  const declarations = tool["functionDeclarations"] ?? tool["function_declarations"];
  if (Array.isArray(declarations)) return declarations.flatMap(toolOf);
  const inner = tool["function"] ?? tool["toolSpec"];
  const fields = isObject(inner) ? inner : tool;
  const { name = tool["type"], description } = fields;
  if (typeof name !== "string") return [];
  const parameters = fields["parameters"] ?? fields["input_schema"] ?? fields["inputSchema"] ?? null;
  return [{ name, description: typeof description === "string" ? description : "", parameters: parseText(parameters) }];
};

/** Reads the tools of a request in any provider's form; empty for any other value. */
export const offeredTools = (value: Json | undefined): readonly OfferedTool[] => {
  const tools = parseText(value ?? null);
  if (isObject(tools))
    return Object.entries(tools).flatMap(([name, tool]) => toolOf(isObject(tool) ? { name, ...tool } : null));
  return Array.isArray(tools) ? tools.flatMap(toolOf) : [];
};
