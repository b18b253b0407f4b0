/**
 * `node:http` for the bundles, without an `import`: that reads all its exports, among them `WebSocket`, for which Node.js loads
 * `undici`, a fifth of a function's start.
 */
const http = process.getBuiltinModule("node:http");

export const { Agent, request, STATUS_CODES } = http;
export default http;
