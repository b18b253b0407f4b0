import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Session } from "node:inspector/promises";
import { finished } from "node:stream/promises";
import { awslambda, isStreaming, ResponseStream } from "../../../infra/local/lambda/response-stream.ts";
import { gatewayPath, type Route } from "../../../lib/contract/route.ts";
import { tableNames, tableVariable } from "../../../lib/dynamo/table.ts";
import { accessStore } from "../../../lib/store/access/project-lookup.ts";
import { variables } from "../../../lib/wiring/environment.ts";
import type { TestDatabase } from "../database/database.ts";

/** A request to a function: a body as JSON or as text of another type. */
export interface Sent {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly text?: string;
  readonly type?: string;
  /** True if no header names the project. */
  readonly isWithoutProject?: true;
}

/** What a request cost: its work as its log line tells it, and the kilobytes that its function has allocated. */
export interface Cost {
  readonly read_units: number;
  readonly write_units: number;
  readonly lookups: number;
  readonly provider_calls: number;
  readonly unpacked_bytes: number;
  readonly kilobytes: number;
}

interface Reply {
  readonly statusCode: number;
  readonly headers?: unknown;
  readonly multiValueHeaders?: unknown;
  readonly body: string;
}

type Handler = (event: unknown, ...rest: unknown[]) => Promise<Reply>;

interface ProfileNode {
  readonly selfSize: number;
  readonly children: readonly ProfileNode[];
}

const sizeOf = ({ selfSize, children }: ProfileNode): number =>
  children.reduce((sum, child) => sum + sizeOf(child), selfSize);

/** Bytes between two samples of an allocation. */
const samplingInterval = 16_384;

/** Runs `work` and returns the bytes of all objects that it allocated on the heap, those included that are collected already. */
const allocatedBy = async (work: () => Promise<void>): Promise<number> => {
  const session = new Session();
  session.connect();
  const options = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true };
  await session.post("HeapProfiler.startSampling", { samplingInterval, ...options });
  await work();
  const { profile } = await session.post("HeapProfiler.stopSampling");
  session.disconnect();
  return sizeOf(profile.head);
};

/** Starts a server that accepts every request of an AWS service with an empty reply. */
const acceptingServer = async () => {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.closeAllConnections() ?? server.close() };
};

/** Environment of a function of this repository whose tables are those of a test. */
const environmentOf = (databaseUrl: string, otherUrl: string): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(tableNames.map((name) => [tableVariable(name), name])),
  AWS_REGION: "eu-central-1",
  AWS_ACCESS_KEY_ID: "localruntime",
  AWS_SECRET_ACCESS_KEY: "local",
  AWS_ENDPOINT_URL: otherUrl,
  AWS_ENDPOINT_URL_DYNAMODB: databaseUrl,
  [variables.limitFactor]: "1000",
  [variables.projectMaker]: "nobody",
  [variables.retentionDays]: "0",
  [variables.judgeModel]: "offline/rules",
  [variables.judgeProviders]: "{}",
  [variables.judgeCalls]: "10",
  [variables.maxPreviewsPerDay]: "1000",
  [variables.maxConcurrentPreviews]: "10",
  [variables.maxTargetsPerRun]: "1000",
  [variables.maxTargetsPerBatch]: "1000",
  [variables.maxCustomMetrics]: "1000",
  [variables.maxMonitors]: "1000",
  [variables.maxProjects]: "1000",
  [variables.stage]: "test",
  [variables.serviceUrl]: "https://example.com",
  [variables.scheduleGroup]: "monitors",
  [variables.scheduleRole]: "arn:aws:iam::000000000000:role/fire",
  [variables.firingQueueArn]: "arn:aws:sqs:eu-central-1:000000000000:firings",
  [variables.firingDeadLettersArn]: "arn:aws:sqs:eu-central-1:000000000000:dead",
});

/** The functions of the endpoints, called in this process by the events of API Gateway, with an organization and a project. */
export const calledFunctions = async (database: TestDatabase) => {
  const { protocol, hostname, port } = (await database.client.config.endpoint?.()) ?? {};
  const other = await acceptingServer();
  const environmentBefore = process.env;
  process.env = { ...environmentBefore, ...environmentOf(`${protocol}//${hostname}:${port}`, other.url) };
  Object.assign(globalThis, { awslambda });
  const access = accessStore(database, 1000);
  const organizationId = await access.createOrganization("Example");
  const { id: projectId } = await access.findOrCreateProject(organizationId, "first");
  const userId = randomUUID();
  await access.addMember(organizationId, userId, "OWNER");
  const authorizers = {
    key: { principal: "key", key_id: randomUUID(), organization_id: organizationId },
    user: { principal: "user", user_id: userId },
  };

  const eventOf = (
    route: Route,
    { params = {}, query = {}, body, text = body === undefined ? "" : JSON.stringify(body), ...sent }: Sent,
  ) => ({
    body: Buffer.from(text).toString("base64"),
    isBase64Encoded: true,
    headers: { "Content-Type": sent.type ?? "application/json" },
    multiValueHeaders: {
      "Content-Type": [sent.type ?? "application/json"],
      ...(sent.isWithoutProject !== true && { "X-Project-Name": ["first"] }),
    },
    multiValueQueryStringParameters: Object.fromEntries(Object.entries(query).map(([key, value]) => [key, [value]])),
    pathParameters: params,
    httpMethod: route.method,
    resource: gatewayPath(route),
    path: route.path,
    requestContext: {
      requestId: randomUUID(),
      path: `/test${route.path}`,
      resourcePath: route.path,
      httpMethod: route.method,
      domainName: "example.com",
      identity: { sourceIp: "127.0.0.1" },
      authorizer: route.access === "user" ? authorizers.user : authorizers.key,
    },
  });

  const call = async (route: Route, sent: Sent): Promise<Reply> => {
    const { handler } = (await import(`../../../functions/${route.handler}.ts`)) as { readonly handler: Handler };
    const event = eventOf(route, sent);
    if (!isStreaming(handler)) return await handler(event, {});
    const chunks: Uint8Array[] = [];
    const stream = new ResponseStream((chunk) => void chunks.push(chunk));
    await handler(event, stream, {});
    await finished(stream);
    const [prelude = "{}", body = ""] = Buffer.concat(chunks).toString("utf8").split("\0".repeat(8));
    return { ...(JSON.parse(prelude) as Omit<Reply, "body">), body };
  };

  return {
    organizationId,
    projectId,
    database,
    /** Calls the function of a route. @throws Error for an unsuccessful reply. */
    answer: async (route: Route, sent: Sent): Promise<Record<string, unknown>> => {
      const { statusCode, body } = await call(route, sent);
      if (statusCode >= 300) throw new Error(`${route.id}: ${statusCode} ${body.slice(0, 500)}`);
      return JSON.parse(body === "" ? "{}" : body) as Record<string, unknown>;
    },
    /** Calls the function of a route and measures the request. @param options without sampling, its allocations are not measured. */
    measure: async (
      route: Route,
      sent: Sent,
      { isSampled = true } = {},
    ): Promise<{ status: number; body: string; headers: unknown; cost: Cost }> => {
      let reply: Reply = { statusCode: 0, body: "" };
      const lines: string[] = [];
      const { log } = console;
      console.log = (line: string) => void lines.push(line);
      const work = async (): Promise<void> => {
        reply = await call(route, sent);
      };
      const bytes = await (isSampled ? allocatedBy(work) : work().then(() => 0)).finally(() => {
        console.log = log;
      });
      const line = lines.find((each) => each.includes('"request_completed"')) ?? "{}";
      const { read_units, write_units, lookups, provider_calls, unpacked_bytes } = JSON.parse(line) as Cost;
      const kilobytes = Math.round(bytes / 1024);
      const cost = { read_units, write_units, lookups, provider_calls, unpacked_bytes, kilobytes };
      return { status: reply.statusCode, body: reply.body, headers: [reply.headers, reply.multiValueHeaders], cost };
    },
    close: () => {
      process.env = environmentBefore;
      other.close();
    },
  };
};

export type CalledFunctions = Awaited<ReturnType<typeof calledFunctions>>;
