/**
 * The layers of `lib`: which floors a floor may import, and within a floor which wings a wing may import.
 * Lint and `layout.test.ts` enforce it. Every floor may import the log.
 */
export const floors: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  async: [],
  /** For programs that call the service: the client imports no other floor. */
  client: [],
  /** The page in a reader's browser, which imports the client alone. */
  console: ["client"],
  aws: [],
  events: ["aws"],
  queue: ["aws"],
  parameters: ["aws"],
  store: ["domain", "async", "aws"],
  stream: ["domain", "async", "store"],
  /** The tables' names and actions, for the grants of a route. */
  contract: ["domain", "store"],
  otlp: ["domain", "contract"],
  langfuse: ["domain", "contract", "otlp"],
  judge: ["domain", "async", "parameters"],
  metrics: ["domain", "judge"],
  evaluation: ["domain", "async", "store", "queue", "judge", "metrics"],
  monitors: ["domain", "async", "aws", "store", "queue", "evaluation"],
  maintenance: ["domain", "store", "async"],
  deletion: ["domain", "async", "store", "monitors"],
  "gateway-keys": ["domain", "aws", "store", "stream"],
  invitations: ["domain", "store", "stream", "events"],
  http: ["domain", "async", "contract", "store", "otlp", "metrics", "evaluation"],
  authorizer: ["domain", "store", "http", "gateway-keys"],
  wiring: ["domain", "aws", "contract", "store", "parameters", "judge", "metrics", "evaluation", "monitors", "http"],
  handlers: ["domain", "async", "contract", "store", "otlp", "langfuse", "metrics", "evaluation", "http", "wiring"],
};

/** Wings by floor, from the lowest up: each may import those before it. `.` means the files directly in the floor. */
export const wings: Readonly<Record<string, readonly string[]>> = {
  domain: [".", "traces", "checks", "metrics", "access", "analytics", "scores", "sessions", "runs", "monitors"],
  store: [
    ".",
    "bytes",
    "limits",
    "access",
    "deletion",
    "documents",
    "traces",
    "garbage",
    "sessions",
    "scores",
    "hours",
    "spend",
    "runs",
    "monitors",
    "metrics",
  ],
  contract: [
    ".",
    "traces",
    "sessions",
    "scores",
    "runs",
    "monitors",
    "metrics",
    "access",
    "otlp",
    "langfuse",
    "openapi",
    "routes.ts",
  ],
  http: ["limits", "documents", ".", "traces", "sessions", "runs", "monitors", "metrics", "access", "otlp"],
};
