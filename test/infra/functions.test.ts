import { Match, type Template } from "aws-cdk-lib/assertions";
import { beforeAll, expect, test } from "vitest";
import { routeGrants } from "../../infra/api/route-grants.ts";
import { getRunTemplate } from "../../lib/contract/runs/template.ts";
import { routes } from "../../lib/contract/routes.ts";
import { projectTables } from "../../lib/store/deletion/table-scan.ts";
import { heldLimits } from "../../lib/store/traces/row-budget.ts";
import { tableNames, tables, type Grants, type TableDefinition } from "../../lib/store/table.ts";
import { list, statements, type Statement } from "./policies.ts";
import { synthesize } from "./synthesize.ts";

let template: Template;
let all: Statement[];
beforeAll(() => {
  ({ template } = synthesize());
  all = statements(template);
});

const functions = () => Object.entries(template.findResources("AWS::Lambda::Function"));
const functionOf = (id: string) => functions().find(([name]) => name.startsWith(id))?.[1].Properties;
const roleOf = (id: string): string => functionOf(id).Role["Fn::GetAtt"][0];

/** Resources of a statement, each as short text: a table as `rows`, its index as `rows/by-session`. */
const resources = ({ Resource }: Statement): string[] =>
  list(Resource).map((resource) => {
    const text = JSON.stringify(resource);
    const table = tableNames.find((name) => new RegExp(`"Data${name}[0-9A-F]{8}","Arn"`, "u").test(text));
    const index = /"\/index\/([^"]+)"/u.exec(text)?.[1];
    return table === undefined ? text : [table, index].filter((part) => part !== undefined).join("/");
  });

/** What a role may do on tables without a condition. */
const tablePermissions = (role: string): string[] =>
  all
    .filter((statement) => statement.role === role && !("Condition" in statement))
    .flatMap((statement) =>
      list(statement.Action)
        .filter((action) => action.startsWith("dynamodb:") && !/Stream|Record|Shard/u.test(action))
        .flatMap((action) => resources(statement).map((resource) => `${action} ${resource}`)),
    )
    .toSorted();

const expectedPermissions = (grants: Grants): string[] =>
  tableNames
    .flatMap((name) => {
      const { indexes = {} }: TableDefinition = tables[name];
      const actions = grants[name] ?? [];
      const queried = actions.includes("Query") ? Object.keys(indexes) : [];
      return actions
        .map((action) => `dynamodb:${action} ${name}`)
        .concat(queried.map((index) => `dynamodb:Query ${name}/${index}`));
    })
    .toSorted();

/** Indexes with what previous versions have listed. */
const formerLists = ["runs/by-created", "scores/by-creation"];

test("every function runs Node 24 on arm64", () => {
  expect(() =>
    template.allResourcesProperties(
      "AWS::Lambda::Function",
      Match.objectLike({ Runtime: "nodejs24.x", Architectures: ["arm64"], Handler: "index.handler" }),
    ),
  ).not.toThrow();
});

/** Routes with a function of their own. */
const own = routes.filter(({ answeredBy }) => answeredBy === undefined);

const logGroupOf = (id: string): string => functionOf(id).LoggingConfig.LogGroup.Ref;

test("the functions of a resource share a log group, and every worker has one of its own", () => {
  const groupOf = new Map(functions().map(([id]) => [id, logGroupOf(id)]));
  const ofRoutes = Map.groupBy(own, ({ path }) => path.split("/")[1]);
  const shared = [...ofRoutes.values()].map(
    (group) => new Set(group.map(({ id }) => logGroupOf(`ApiRoutes${id}Function`))),
  );
  const workers = [...groupOf].filter(([id]) => !id.startsWith("ApiRoutes")).map(([, group]) => group);

  expect(shared.map(({ size }) => size)).toEqual(shared.map(() => 1));
  expect(new Set([...shared.flatMap((groups) => [...groups]), ...workers]).size).toBe(shared.length + workers.length);
  expect(workers.length).toBeGreaterThan(10);
});

test("every log group is written to, is kept for a month and goes with the stack", () => {
  const groups = template.findResources("AWS::Logs::LogGroup");

  expect(Object.keys(groups).toSorted()).toEqual([...new Set(functions().map(([id]) => logGroupOf(id)))].toSorted());
  for (const group of Object.values(groups))
    expect(group).toMatchObject({ DeletionPolicy: "Delete", Properties: { RetentionInDays: 30 } });
});

test("every function may write to its log group and to no other", () => {
  const writes = all
    .filter(({ Action }) => list(Action).some((action) => action.startsWith("logs:")))
    .map(({ role, Action, Resource }) => ({ role, Action, Resource }));

  expect(writes).toEqual(
    functions().map(([id]) => ({
      role: roleOf(id),
      Action: ["logs:CreateLogStream", "logs:PutLogEvents"],
      Resource: { "Fn::GetAtt": [logGroupOf(id), "Arn"] },
    })),
  );
});

test("who keeps sums of sessions is deployed behind the worker that removes them", () => {
  const worker = functions().find(([id]) => id.startsWith("TraceUpkeepAggregateTraces"))?.[0];
  const [, reader] = functions().find(([id]) => id.startsWith("ApiRoutesgetSessionFunction")) ?? [];

  expect(worker).toBeDefined();
  expect(reader?.DependsOn).toContain(worker);
});

test("every function has a role of its own", () => {
  const roles = functions().map(([, { Properties }]) => Properties.Role["Fn::GetAtt"][0]);

  expect(new Set(roles).size).toBe(functions().length);
});

test("every function has code of its own, but for routes that share a handler", () => {
  const keys = functions().map(([, { Properties }]) => Properties.Code.S3Key);
  const shared = own.length - new Set(own.map(({ handler }) => handler)).size;

  expect(new Set(keys).size).toBe(functions().length - shared);
});

test.each(own)("the function of $id may do exactly what its route says", (route) => {
  expect(tablePermissions(roleOf(`ApiRoutes${route.id}Function`))).toEqual(expectedPermissions(routeGrants(route)));
});

test.each(own)("the function of $id is sized as its route says and knows the tables it may use", (route) => {
  const { MemorySize, Timeout, Environment } = functionOf(`ApiRoutes${route.id}Function`);
  const named = Object.keys(Environment.Variables).filter((name) => name.startsWith("TABLE_"));

  expect({ MemorySize, Timeout }).toEqual({ MemorySize: route.memory ?? 512, Timeout: route.timeout ?? 29 });
  expect(named.toSorted()).toEqual(
    Object.keys(routeGrants(route))
      .map((name) => `TABLE_${name.toUpperCase()}`)
      .toSorted(),
  );
});

const scheduling = ["SCHEDULE_GROUP", "SCHEDULE_ROLE", "FIRING_QUEUE_ARN", "FIRING_DEAD_LETTERS_ARN"];

test.each(own)("the function of $id gets the settings that its handler reads, and no other", (route) => {
  const { Variables } = functionOf(`ApiRoutes${route.id}Function`).Environment;
  const settings = Object.keys(Variables).filter((name) => !name.startsWith("TABLE_"));

  expect(settings.toSorted()).toEqual(
    [
      "STAGE",
      "SERVICE_VERSION",
      ...(route.access !== "public" || route.limitPerMinute !== undefined ? ["LIMIT_FACTOR"] : []),
      ...(route.access === "public" && route.limitPerMinute === undefined ? ["REQUESTS_PER_SECOND"] : []),
      ...(route.access === "project" ? ["PROJECT_MAKER"] : []),
      ...(route.id === "createProject" ? ["MAX_PROJECTS_PER_ORGANIZATION"] : []),
      ...(route.id === "getConsole" ? ["CONSOLE_ISSUERS"] : []),
      ...(route.id === "createMonitor" ? ["MAX_MONITORS_PER_PROJECT"] : []),
      ...(["createOwnMetric", "copyGalleryMetric", "importOwnMetric"].includes(route.id)
        ? ["MAX_METRICS_PER_PROJECT"]
        : []),
      ...(route.id === "createOrganization" ? ["MAX_OWNED_ORGANIZATIONS"] : []),
      ...(route.handler === getRunTemplate.handler || route.judges ? ["JUDGE_MODEL"] : []),
      ...(route.notesDeletions ? ["AUDIT_DELETIONS"] : []),
      ...(route.schedules ? scheduling : []),
      ...(route.readsProviders || route.judges ? ["JUDGE_PROVIDERS"] : []),
      ...(route.grants.rows?.includes("PutItem") ? ["RETENTION_DAYS"] : []),
      ...(route.grants.runs?.includes("PutItem")
        ? ["MAX_TARGETS_PER_RUN", "MAX_TARGETS_PER_BATCH", "JUDGE_MODEL"]
        : []),
    ].toSorted(),
  );
});

test.each<[string, Grants]>([
  ["ApiAuthorizer", { access: ["GetItem", "PutItem", "UpdateItem"] }],
  ["ApiMakeProject", { access: ["GetItem", "BatchGetItem", "PutItem", "UpdateItem"] }],
  [
    "EvaluationFollowRuns",
    {
      runs: ["GetItem", "UpdateItem"],
      aggregates: ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
      access: ["BatchGetItem"],
    },
  ],
  [
    "EvaluationJudgeSlice",
    {
      runs: ["GetItem", "BatchGetItem", "Query", "UpdateItem"],
      scores: ["Query", "PutItem"],
      rows: ["GetItem", "Query", "ConditionCheckItem"],
      bodies: ["Query"],
      // Versions of metrics of a project's own.
      monitors: ["GetItem"],
      spend: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem"],
    },
  ],
  [
    "EvaluationPurgeRun",
    {
      runs: ["GetItem", "Query", "UpdateItem", "DeleteItem"],
      scores: ["Query", "DeleteItem"],
      spend: ["GetItem", "Query", "PutItem", "UpdateItem"],
    },
  ],
  [
    "TraceUpkeepPurgeTraces",
    {
      rows: ["GetItem", "Query", "PutItem"],
      bodies: ["GetItem", "Query", "PutItem", "DeleteItem"],
      scores: ["Query", "DeleteItem"],
      aggregates: ["PutItem"],
    },
  ],
  [
    "TraceUpkeepAggregateTraces",
    {
      rows: ["GetItem", "Query"],
      bodies: ["Query"],
      aggregates: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
      access: ["BatchGetItem"],
    },
  ],
  [
    "MonitoringFireMonitor",
    {
      // Metrics of the project's own among them, and all of them for who names another.
      monitors: ["GetItem", "BatchGetItem", "PutItem", "Query"],
      // Whether a run that is to be given up has come to be after all.
      runs: ["GetItem", "PutItem", "UpdateItem", "BatchWriteItem", "ConditionCheckItem"],
      rows: ["GetItem", "Query"],
      // Counts, for what is too much, and the newest scores, which filters ask for.
      aggregates: ["Query", "BatchGetItem"],
      scores: ["Query"],
      access: ["GetItem"],
    },
  ],
  ["InvitationsAnnounce", { access: ["GetItem", "BatchGetItem"] }],
  ["GatewayKeysSync", { access: ["GetItem", "BatchGetItem", "Scan", "PutItem", "UpdateItem", "DeleteItem"] }],
  [
    "EvaluationSweep",
    {
      runs: ["GetItem", "BatchGetItem", "Query", "Scan", "UpdateItem", "DeleteItem", "BatchWriteItem"],
      scores: ["Query", "Scan", "UpdateItem", "DeleteItem", "BatchGetItem", "BatchWriteItem"],
      spend: ["GetItem", "Query", "Scan", "PutItem", "UpdateItem", "DeleteItem", "BatchGetItem", "BatchWriteItem"],
      rows: ["GetItem", "BatchGetItem", "Query", "Scan", "PutItem", "UpdateItem", "BatchWriteItem"],
      bodies: ["GetItem", "Query", "Scan", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"],
      aggregates: [
        ...(["GetItem", "Query", "Scan", "PutItem", "UpdateItem"] as const),
        ...(["DeleteItem", "ConditionCheckItem", "BatchWriteItem"] as const),
      ],
      monitors: ["GetItem", "PutItem", "UpdateItem", "Query", "Scan", "BatchWriteItem"],
      access: ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "BatchGetItem", "BatchWriteItem"],
    },
  ],
])("the worker %s may do exactly what it is there for", (id, grants) => {
  const scanned = id === "EvaluationSweep" ? formerLists.map((index) => `dynamodb:Scan ${index}`) : [];

  expect(tablePermissions(roleOf(id))).toEqual([...expectedPermissions(grants), ...scanned].toSorted());
});

test("the sweeper alone may read tables of projects whole, the keeper of gateway keys who may do what, nobody the limits", () => {
  const scanning = all
    .filter(({ Action }) => list(Action).includes("dynamodb:Scan"))
    .flatMap((statement) => resources(statement).map((table) => [statement.role, table]));

  expect(scanning.toSorted()).toEqual(
    [
      ...[...projectTables, ...formerLists].map((table) => [roleOf("EvaluationSweep"), table]),
      [roleOf("GatewayKeysSync"), "access"],
    ].toSorted(),
  );
});

/** Routes that change who may do what. */
const managing =
  /^(?:(?:create|update|delete)(?:Organization|Project)|(?:update|remove)Member|(?:create|revoke|accept|decline)Invitation|(?:create|rotate|delete)ApiKey|deleteMe|createRepricing|createCliCode|exchangeCliCode)$/u;

test("who may do what is written by the routes that manage it, by those who make users and projects, and by upkeep", () => {
  const writing = /^dynamodb:(?:Put|Update|Delete|BatchWrite|PartiQL)/u;
  const writers = all
    .filter(({ Action }) => list(Action).some((action) => writing.test(action)))
    .filter((statement) => resources(statement).some((table) => table.startsWith("access")))
    .filter((statement) => !("Condition" in statement))
    .map(({ role }) => role);

  expect(new Set(writers)).toEqual(
    new Set([
      ...routes.filter(({ id }) => managing.test(id)).map(({ id }) => roleOf(`ApiRoutes${id}Function`)),
      ...["ApiAuthorizer", "ApiMakeProject", "GatewayKeysSync", "EvaluationSweep"].map(roleOf),
    ]),
  );
});

test("what deletes traces, sessions, runs or monitors may add to the audit and to nothing else of that table, unless it is not noted", () => {
  const conditional = (of: readonly Statement[]) =>
    of
      .filter((statement) => "Condition" in statement && JSON.stringify(statement.Action).includes("dynamodb:"))
      .map((statement) => [
        statement.role,
        statement.Effect,
        statement.Action,
        resources(statement),
        statement.Condition,
      ]);
  const noting = routes.filter(({ notesDeletions }) => notesDeletions);

  expect(noting.map(({ id }) => id).toSorted()).toEqual(
    ["deleteMonitor", "deleteSession", "deleteSessionRun", "deleteTrace", "deleteTraceRun", "deleteTraces"].toSorted(),
  );
  expect(conditional(all)).toEqual(
    noting.map(({ id }) => [
      roleOf(`ApiRoutes${id}Function`),
      "Allow",
      "dynamodb:PutItem",
      ["access"],
      { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": "audit#*" }, Null: { "dynamodb:LeadingKeys": "false" } },
    ]),
  );
  expect(conditional(statements(synthesize({ auditDeletions: false }).template))).toEqual([]);
});

test("the function that makes projects is called by the routes of projects alone, and calls nobody", () => {
  const maker = functions().find(([id]) => id.startsWith("ApiMakeProject"))?.[0];
  const calling = all
    .filter(({ Action }) => list(Action).includes("lambda:InvokeFunction"))
    .filter(({ Resource }) => JSON.stringify(Resource).includes(String(maker)))
    .map(({ role, Resource }) => [role, JSON.stringify(Resource)]);

  expect(calling.toSorted()).toEqual(
    own
      .filter(({ access }) => access === "project")
      .map(({ id }) => [roleOf(`ApiRoutes${id}Function`), JSON.stringify({ "Fn::GetAtt": [maker, "Arn"] })])
      .toSorted(),
  );
});

test("no statement allows every action of a service", () => {
  expect(all.length).toBeGreaterThan(0);
  expect(all.filter(({ Action }) => list(Action).some((action) => action.includes("*")))).toEqual([]);
});

const unbounded = (of: readonly Statement[]) => of.filter(({ Resource }) => JSON.stringify(Resource).includes("*"));

const changingSchedules = ["scheduler:CreateSchedule", "scheduler:UpdateSchedule", "scheduler:DeleteSchedule"];

test("no statement allows an action on every resource, but for what is made at run time", () => {
  const found = unbounded(all).map(({ role, Action }) => [role.replace(/[0-9A-F]{8}$/u, ""), Action]);
  const schedulers = routes.filter(({ schedules }) => schedules).map(({ id }) => `ApiRoutes${id}Role`);

  expect(found.toSorted()).toEqual(
    [
      // Their ids only API Gateway knows.
      ["GatewayKeysSyncWorkerRole", "apigateway:DELETE"],
      // A list of schedules cannot be limited.
      ["EvaluationSweepWorkerRole", "scheduler:ListSchedules"],
      // Within the group that is the monitors' own.
      ...["EvaluationSweepWorkerRole", ...schedulers].map((role) => [role, changingSchedules]),
    ].toSorted(),
  );
});

test("only the account-wide log role, when asked for, may act on every resource", () => {
  const asked = statements(synthesize({ gatewayLogRole: true }).template);
  const known = new Set(unbounded(all).map(({ role }) => role));
  const everywhere = unbounded(asked).filter(({ role }) => !known.has(role));

  expect(everywhere.map(({ role }) => role)).toEqual([expect.stringMatching(/^ApiLogsAccountRole/u)]);
  expect(everywhere.flatMap(({ Action }) => list(Action)).every((action) => action.startsWith("logs:"))).toBe(true);
});

test("no role carries a policy that AWS manages and no policy stands apart from its role", () => {
  const managed = Object.values(template.findResources("AWS::IAM::Role")).filter(
    ({ Properties }) => Properties.ManagedPolicyArns !== undefined,
  );

  expect(managed).toEqual([]);
  expect(Object.keys(template.findResources("AWS::IAM::Policy"))).toEqual([]);
});

test("the gateway may call each function through one role and nothing else", () => {
  const called = all
    .filter(({ role }) => /^Api(RoutesInvoke|InvokeAuthorizer)/u.test(role))
    .flatMap(({ Resource }) => list(Resource).map((resource) => JSON.stringify(resource)));

  expect(new Set(called).size).toBe(own.length + 1);
  expect(called).toHaveLength(own.length + 1);
});

test("a second address of a route has no function of its own, no more rights, and no log", () => {
  const second = routes.filter(({ answeredBy }) => answeredBy !== undefined);

  expect(second.map(({ id, answeredBy }) => `${id}: ${answeredBy}`)).toEqual([
    "getCliLogin: getConsole",
    "exportTracesLangfuse: exportTraces",
    "exportTracesLangsmith: exportTraces",
    "getHealthLangfuse: getHealth",
  ]);
  for (const { id, answeredBy, handler, grants, access, permission } of second) {
    expect(functions().filter(([name]) => name.startsWith(`ApiRoutes${id}`))).toEqual([]);
    const first = own.find((route) => route.id === answeredBy);

    expect(first).toMatchObject({ handler, grants, access });
    expect(first?.permission).toBe(permission);
  }
});

test.each([
  ["GET /sessions:", 1769],
  ["GET /traces:", 1769],
  ["GET /traces/users:", 1769],
  ["GET /sessions/analytics:", 1024],
  ["POST /evaluations/session-runs:", 1024],
  ["POST /evaluations/trace-runs:", 1024],
  ["Creates the run of a monitor's scheduled instant", 1024],
] as const)("%s has the memory for what it may keep of what it reads", (description, memory) => {
  const found = functions().filter(([, { Properties }]) => Properties.Description.startsWith(description));

  expect(found.map(([, { Properties }]) => Properties.MemorySize)).toEqual([memory]);
  expect(heldLimits[memory]).toBeLessThan(memory * 1024 * 1024 * 0.65);
});

test("Lambda writes about a call only when it failed, and leaves our lines as they are", () => {
  const logging = functions().map(
    ([
      ,
      {
        Properties: {
          LoggingConfig: { LogGroup, ...config },
        },
      },
    ]) => [Object.keys(LogGroup), config],
  );

  expect(logging.length).toBeGreaterThan(100);
  expect(new Set(logging.map((one) => JSON.stringify(one)))).toEqual(
    new Set([JSON.stringify([["Ref"], { LogFormat: "JSON", SystemLogLevel: "WARN" }])]),
  );
});
