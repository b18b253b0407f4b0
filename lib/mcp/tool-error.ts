/** Error of a tool's call, whose message is the answer to the model. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}
