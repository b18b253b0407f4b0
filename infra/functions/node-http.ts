/**
 * `node:http` for the bundles, loaded by `require`: an `import` reads all its exports, among them `WebSocket`, for which Node.js
 * loads `undici`, a fifth of a function's start.
 */
import type * as Http from "node:http";
import { createRequire } from "node:module";

const http: typeof Http = createRequire(import.meta.url)("node:http");

export const { Agent, request, STATUS_CODES } = http;
export default http;
