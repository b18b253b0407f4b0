import { Match, type Template } from "aws-cdk-lib/assertions";
import { beforeAll, expect, test } from "vitest";
import { routeGrants } from "../../../infra/api/route-grants.ts";
import { clientLimit } from "../../../lib/contract/limits.ts";
import { getRunTemplate } from "../../../lib/contract/runs/template.ts";
import { makesProject, type Route } from "../../../lib/contract/route.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { projectTables } from "../../../lib/store/deletion/table-scan.ts";
import { memoryLimits } from "../../../lib/store/traces/row-scan.ts";
import { accessPartitions, tableNames, tables, type Grants, type TableDefinition } from "../../../lib/dynamo/table.ts";
import { list, resources, statements, type Statement } from "../policies.ts";
import { synthesize } from "../synthesize.ts";

let template: Template;
let allStatements: Statement[];
beforeAll(() => {
  ({ template } = synthesize());
  allStatements = statements(template);
});

const functions = () => Object.entries(template.findResources("AWS::Lambda::Function"));
const functionOf = (id: string) => functions().find(([name]) => name.startsWith(id))?.[1].Properties;
/** Logical id of a function, by which statements name it. */
const roleOf = (id: string): string => functions().find(([name]) => name.startsWith(id))?.[0] ?? "";

interface LeadingKeys {
  readonly "ForAllValues:StringLike": { readonly "dynamodb:LeadingKeys": string | readonly string[] };
  readonly Null: { readonly "dynamodb:LeadingKeys": string };
}

/** Partition keys to which a statement is limited; a request without keys must not satisfy the condition. */
const leadingKeys = ({ Condition }: Statement): string => {
  if (Condition === undefined) return "";
  // The condition itself is tested with the gateway keys, whose reconciliation scans.
  if (JSON.stringify(Condition).includes("dynamodb:Attributes")) return " of attributes";
  const { "ForAllValues:StringLike": keys, Null: absence, ...others } = Condition as LeadingKeys;
  expect([others, absence]).toEqual([{}, { "dynamodb:LeadingKeys": "false" }]);
  return ` of ${list(keys["dynamodb:LeadingKeys"]).toSorted().join(", ")}`;
};

/** Actions that a function may take on tables, with the partition keys to which they are limited. */
const tablePermissions = (role: string): string[] =>
  allStatements
    .filter((statement) => statement.role === role)
    .flatMap((statement) =>
      list(statement.Action)
        .filter((action) => action.startsWith("dynamodb:") && !/Stream|Record|Shard/u.test(action))
        .flatMap((action) => resources(statement).map((resource) => `${action} ${resource}${leadingKeys(statement)}`)),
    )
    .toSorted();

const expectedPermissions = (grants: Grants): string[] =>
  tableNames
    .flatMap((name) => {
      if (name === "access")
        return Object.entries(grants.access ?? {}).map(([action, partitions]) => {
          const keys = partitions.map((each) => accessPartitions[each]).toSorted();
          return `dynamodb:${action} access of ${keys.join(", ")}`;
        });
      const { indexes = {} }: TableDefinition = tables[name];
      const actions = grants[name] ?? [];
      const queried = actions.includes("Query") ? Object.keys(indexes) : [];
      return actions
        .map((action) => `dynamodb:${action} ${name}`)
        .concat(queried.map((index) => `dynamodb:Query ${name}/${index}`));
    })
    .toSorted();

test("every function runs Node 24 on arm64", () => {
  expect(() =>
    template.allResourcesProperties(
      "AWS::Lambda::Function",
      Match.objectLike({ Runtime: "nodejs24.x", Architectures: ["arm64"], Handler: "index.handler" }),
    ),
  ).not.toThrow();
});

/** Routes with a function of their own. */
const routesWithFunction = routes.filter(({ answeredBy }) => answeredBy === undefined);

const logGroupOf = (id: string): string => functionOf(id).LoggingConfig.LogGroup.Ref;

test("the functions of a resource share a log group, and every worker has its own", () => {
  const groupOf = new Map(functions().map(([id]) => [id, logGroupOf(id)]));
  const ofRoutes = Map.groupBy(routesWithFunction, ({ path, logsWith }) => logsWith ?? path.split("/")[1]);
  const shared = [...ofRoutes.values()].map(
    (group) => new Set(group.map(({ id }) => logGroupOf(`ApiRoutes${id}Function`))),
  );
  const workers = [...groupOf].filter(([id]) => !id.startsWith("ApiRoutes")).map(([, group]) => group);

  expect(shared.map(({ size }) => size)).toEqual(shared.map(() => 1));
  expect(new Set([...shared.flatMap((groups) => [...groups]), ...workers]).size).toBe(shared.length + workers.length);
  expect(workers.length).toBeGreaterThan(8);
});

test("every log group has a writer, keeps a month of logs and is deleted with the stack", () => {
  const groups = template.findResources("AWS::Logs::LogGroup");

  expect(Object.keys(groups).toSorted()).toEqual([...new Set(functions().map(([id]) => logGroupOf(id)))].toSorted());
  for (const group of Object.values(groups))
    expect(group).toMatchObject({ DeletionPolicy: "Delete", Properties: { RetentionInDays: 30 } });
});

test("every function may write to its log group and to no other", () => {
  const writes = allStatements
    .filter(({ Action }) => list(Action).some((action) => action.startsWith("logs:")))
    .map(({ role, Action, Resource }) => [role, { Action, Resource }]);

  expect(writes).toHaveLength(functions().length);
  expect(Object.fromEntries(writes)).toEqual(
    Object.fromEntries(
      functions().map(([id]) => [
        id,
        {
          Action: ["logs:CreateLogStream", "logs:PutLogEvents"],
          Resource: { "Fn::GetAtt": [logGroupOf(id), "Arn"] },
        },
      ]),
    ),
  );
});

test("functions that store sums of sessions are deployed after the worker that removes them", () => {
  const worker = functions().find(([id]) => id.startsWith("TraceUpkeepAggregateTraces"))?.[0];
  const [, reader] = functions().find(([id]) => id.startsWith("ApiRoutesgetSessionFunction")) ?? [];

  expect(worker).toBeDefined();
  expect(reader?.DependsOn).toContain(worker);
});

test("routes that share a handler share its function", () => {
  const keys = functions().map(([, { Properties }]) => Properties.Code.S3Key);

  expect(new Set(keys).size).toBe(functions().length);
});

test.each(routesWithFunction)("the function of $id has exactly the permissions of its route", (route) => {
  expect(tablePermissions(roleOf(`ApiRoutes${route.id}Function`))).toEqual(
    expectedPermissions(routeGrants(route, { auditDeletions: true })),
  );
});

test("functions may count the requests, and keep the replies, of every route that they answer", () => {
  const counted = routes.filter(
    (route) => clientLimit(route) !== undefined || route.idempotency?.startsWith("replay") === true,
  );
  const lacking = counted.filter(
    ({ id, answeredBy = id }) =>
      !tablePermissions(roleOf(`ApiRoutes${answeredBy}Function`)).includes("dynamodb:UpdateItem limits"),
  );

  expect(counted.length).toBeGreaterThan(100);
  expect(lacking.map(({ id }) => id)).toEqual([]);
});

test.each(routesWithFunction)(
  "the function of $id has the size of its route and the names of the tables it may use",
  (route) => {
    const { MemorySize, Timeout, Environment } = functionOf(`ApiRoutes${route.id}Function`);
    const tableVariables = Object.keys(Environment.Variables).filter((name) => name.startsWith("TABLE_"));

    expect({ MemorySize, Timeout }).toEqual({ MemorySize: route.memory ?? 512, Timeout: route.timeout ?? 29 });
    expect(tableVariables.toSorted()).toEqual(
      Object.keys(routeGrants(route, { auditDeletions: true }))
        .map((name) => `TABLE_${name.toUpperCase()}`)
        .toSorted(),
    );
  },
);

/** True for routes without a limit of each client. */
const isUncounted = ({ access }: Route): boolean => access === "public" || access === "verified";

const scheduling = ["SCHEDULE_GROUP", "SCHEDULE_ROLE", "FIRING_QUEUE_ARN", "FIRING_DEAD_LETTERS_ARN"];

test.each(routesWithFunction)(
  "the function of $id gets the settings that its handler reads, and no others",
  (route) => {
    const { Variables } = functionOf(`ApiRoutes${route.id}Function`).Environment;
    const settings = Object.keys(Variables).filter((name) => !name.startsWith("TABLE_"));

    expect(settings.toSorted()).toEqual(
      [
        "STAGE",
        ...(["exchangeMcpMessages", "getDocs", "getHealth", "getOpenApi"].includes(route.id)
          ? ["SERVICE_VERSION", "SERVICE_COMMIT"]
          : []),
        ...(!isUncounted(route) || route.limitPerMinute !== undefined ? ["LIMIT_FACTOR"] : []),
        ...(isUncounted(route) && route.limitPerMinute === undefined ? ["REQUESTS_PER_SECOND"] : []),
        ...(route.access === "project" ? ["PROJECT_MAKER"] : []),
        ...(route.id === "createProject" ? ["MAX_PROJECTS_PER_ORGANIZATION"] : []),
        ...(route.id === "getConsole" ? ["CONSOLE_ISSUERS"] : []),
        ...(route.id === "createMonitor" ? ["MAX_MONITORS_PER_PROJECT"] : []),
        ...(["createOwnMetric", "copyGalleryMetric", "importOwnMetric"].includes(route.id)
          ? ["MAX_METRICS_PER_PROJECT"]
          : []),
        ...(route.id === "createOrganization" ? ["MAX_OWNED_ORGANIZATIONS"] : []),
        ...(route.handler === getRunTemplate.handler || route.callsJudges || route.id === "createMonitor"
          ? ["JUDGE_MODEL"]
          : []),
        ...(route.auditsDeletions ? ["AUDIT_DELETIONS"] : []),
        ...(route.managesSchedules ? scheduling : []),
        ...(route.exportsFiles ? ["LAKE_BUCKET", "LAKE_WRITER"] : []),
        ...(route.searchesLake ? ["LAKE_WRITER"] : []),
        ...(route.readsProviders || route.readsJudgeServers || route.callsJudges ? ["JUDGE_PROVIDERS"] : []),
        ...(route.callsJudges ? ["JUDGE_CALLS_PER_WORKER", "MAX_CONCURRENT_PREVIEWS", "MAX_PREVIEWS_PER_DAY"] : []),
        ...(route.grants.rows?.includes("PutItem") ? ["RETENTION_DAYS"] : []),
        ...(route.grants.runs?.includes("PutItem")
          ? ["MAX_TARGETS_PER_RUN", "MAX_TARGETS_PER_BATCH", "JUDGE_MODEL"]
          : []),
      ].toSorted(),
    );
  },
);

test.each<[string, Grants]>([
  [
    "ApiAuthorizer",
    {
      access: {
        GetItem: ["client", "key", "user"],
        PutItem: ["email", "organization", "project", "user"],
        UpdateItem: ["key", "user"],
      },
    },
  ],
  [
    "ApiMakeProject",
    {
      access: {
        GetItem: ["organization"],
        BatchGetItem: ["organization"],
        PutItem: ["audit", "organization", "project"],
        UpdateItem: ["organization"],
      },
    },
  ],
  [
    "EvaluationFollowRuns",
    {
      runs: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
      // Scores of deleted runs.
      scores: ["Query", "DeleteItem"],
      aggregates: ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
      monitors: ["GetItem", "PutItem"],
      spend: ["UpdateItem"],
      access: { BatchGetItem: ["project"] },
    },
  ],
  [
    "EvaluationJudgeSlice",
    {
      // Slices of runs; events.
      runs: ["GetItem", "BatchGetItem", "Query", "UpdateItem", "PutItem", "DeleteItem"],
      scores: ["Query", "PutItem"],
      rows: ["GetItem", "Query", "ConditionCheckItem"],
      bodies: ["GetItem", "Query"],
      // Versions of a project's custom metrics; items of datasets, and when an experiment began.
      monitors: ["GetItem"],
      aggregates: ["Query"],
      spend: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem"],
      // Nothing of a deleted project or organization is judged.
      access: { GetItem: ["organization", "project"] },
    },
  ],
  [
    "TraceUpkeepAggregateTraces",
    {
      rows: ["GetItem", "Query", "PutItem"],
      bodies: ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
      scores: ["GetItem", "Query", "PutItem", "DeleteItem"],
      aggregates: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"],
      monitors: ["Query", "UpdateItem"],
      access: { BatchGetItem: ["project"] },
    },
  ],
  [
    "TraceUpkeepRepriceDays",
    {
      rows: ["GetItem", "Query", "PutItem", "UpdateItem"],
      bodies: ["GetItem", "Query", "PutItem", "DeleteItem"],
      aggregates: ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
    },
  ],
  [
    "LakeWriteDays",
    {
      rows: ["GetItem", "Query"],
      bodies: ["Query"],
      scores: ["Query"],
      aggregates: ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
      access: { BatchGetItem: ["project"] },
    },
  ],
  [
    "MonitoringFireMonitor",
    {
      // Custom metrics of the project: those of the run, or all of them if a metric of another name is requested.
      monitors: ["GetItem", "BatchGetItem", "PutItem", "Query"],
      // The read finds out if a run to be discarded exists after all.
      runs: ["GetItem", "PutItem", "UpdateItem", "BatchWriteItem", "ConditionCheckItem"],
      rows: ["GetItem", "Query"],
      // Texts, for the filter `q`.
      bodies: ["BatchGetItem", "Query"],
      // Counters for limits, and the newest scores, which filters read.
      aggregates: ["Query", "BatchGetItem"],
      scores: ["Query"],
      access: { GetItem: ["organization", "project"] },
    },
  ],
  [
    "InvitationsAnnounce",
    {
      access: {
        GetItem: ["client", "invitation", "organization", "reconciliation"],
        BatchGetItem: ["client", "gatewayKeys", "key", "organization", "user"],
        PutItem: ["client", "reconciliation"],
        UpdateItem: ["client", "gatewayKeys", "key"],
        DeleteItem: ["client", "gatewayKeys"],
      },
    },
  ],
  [
    "EvaluationSweep",
    {
      runs: ["GetItem", "BatchGetItem", "Query", "Scan", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"],
      scores: [
        ...(["GetItem", "BatchGetItem", "Query", "Scan"] as const),
        ...(["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"] as const),
      ],
      spend: ["GetItem", "Query", "Scan", "PutItem", "UpdateItem", "DeleteItem", "BatchGetItem", "BatchWriteItem"],
      rows: [
        ...(["GetItem", "BatchGetItem", "Query", "Scan", "PutItem", "UpdateItem"] as const),
        ...(["ConditionCheckItem", "BatchWriteItem"] as const),
      ],
      bodies: ["GetItem", "Query", "Scan", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"],
      aggregates: [
        ...(["GetItem", "BatchGetItem", "Query", "Scan", "PutItem", "UpdateItem"] as const),
        ...(["DeleteItem", "ConditionCheckItem", "BatchWriteItem"] as const),
      ],
      monitors: ["GetItem", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "Scan", "BatchWriteItem"],
      access: {
        GetItem: ["deletion", "gatewayKeys", "invitation", "storageScan"],
        BatchGetItem: ["deletion", "project"],
        Query: ["audit", "openDeletions", "organization"],
        PutItem: ["deletion", "openDeletions", "organization"],
        UpdateItem: ["deletion", "gatewayKeys", "organization", "project", "storageScan", "user"],
        DeleteItem: [
          ...(["deletion", "email", "invitation", "key", "keyExpiry"] as const),
          ...(["openDeletions", "organization", "project", "user"] as const),
        ],
        BatchWriteItem: ["audit"],
      },
    },
  ],
])("the worker %s has exactly the permissions of its tasks", (id, grants) => {
  // The scan of the reconciliation is tested below.
  const permissions = tablePermissions(roleOf(id)).filter((each) => each !== "dynamodb:Scan access of attributes");
  expect(permissions).toEqual(expectedPermissions(grants));
});

test("every permission on the access table is limited to kinds of its partitions, or to attributes", () => {
  const unlimited = allStatements
    .filter((statement) => resources(statement).includes("access") && !("Condition" in statement))
    .map(({ role, Action }) => [role, Action]);

  expect(unlimited).toEqual([]);
});

test("only the sweeper may scan tables of projects, only the gateway key worker the access table, and no function the limits", () => {
  const scanning = allStatements
    .filter(({ Action }) => list(Action).includes("dynamodb:Scan"))
    .flatMap((statement) => resources(statement).map((table) => [statement.role, table]));

  expect(scanning.toSorted()).toEqual(
    [
      ...projectTables.map((table) => [roleOf("EvaluationSweep"), table]),
      [roleOf("InvitationsAnnounce"), "access"],
    ].toSorted(),
  );
});

/** Routes that change access rights. */
const managing =
  /^(?:(?:create|update|delete)(?:Organization|Project)|(?:update|remove)Member|(?:create|revoke|accept|decline)Invitation|(?:create|rotate|delete)ApiKey|deleteMe|eraseUser|createCliCode|exchangeCliCode)$/u;

test("access rights are written by the routes that manage them, by sign-in and project creation, and by maintenance", () => {
  const writing = /^dynamodb:(?:Put|Update|Delete|BatchWrite|PartiQL)/u;
  const writers = allStatements
    .filter(({ Action }) => list(Action).some((action) => writing.test(action)))
    .filter((statement) => resources(statement).some((table) => table.startsWith("access")))
    .filter((statement) => leadingKeys(statement) !== ` of ${accessPartitions.audit}`)
    .map(({ role }) => role);

  expect(new Set(writers)).toEqual(
    new Set([
      ...routes.filter(({ id }) => managing.test(id)).map(({ id }) => roleOf(`ApiRoutes${id}Function`)),
      ...["ApiAuthorizer", "ApiMakeProject", "InvitationsAnnounce", "EvaluationSweep"].map(roleOf),
    ]),
  );
});

test("functions that delete traces, sessions, runs or monitors may add audit entries, unless a deletion is not audited", () => {
  const auditing = (statementList: readonly Statement[]) =>
    statementList
      .filter((statement) => list(statement.Action).includes("dynamodb:PutItem"))
      .filter((statement) => resources(statement).includes("access"))
      .filter(({ role }) => noting.some(({ id }) => role.startsWith(`ApiRoutes${id}Function`)))
      .map((statement) => [statement.role, leadingKeys(statement)]);
  const noting = routes.filter(({ auditsDeletions }) => auditsDeletions);

  expect(noting.map(({ id }) => id).toSorted()).toEqual(
    ["deleteMonitor", "deleteSession", "deleteSessionRun", "deleteTrace", "deleteTraceRun", "deleteTraces"].toSorted(),
  );
  expect(auditing(allStatements).toSorted()).toEqual(
    noting.map(({ id }) => [roleOf(`ApiRoutes${id}Function`), " of audit#*"]).toSorted(),
  );
  expect(auditing(statements(synthesize({ auditDeletions: false }).template))).toEqual([]);
});

const lakeWriter = () => functions().find(([id]) => id.startsWith("LakeWriteDays"))?.[0];

test("the function that creates projects is called by the routes alone that make some, and calls no other", () => {
  const maker = functions().find(([id]) => id.startsWith("ApiMakeProject"))?.[0];
  const calling = allStatements
    .filter(({ Action }) => list(Action).includes("lambda:InvokeFunction"))
    .filter(({ Resource }) => JSON.stringify(Resource).includes(String(maker)))
    .map(({ role, Resource }) => [role, JSON.stringify(Resource)]);
  const [arnOfMaker, arnOfWriter] = [maker, lakeWriter()].map((id) => ({ "Fn::GetAtt": [id, "Arn"] }));

  expect(calling.toSorted()).toEqual(
    routesWithFunction
      .filter(({ handler }) => routes.some((each) => each.handler === handler && makesProject(each)))
      .map(({ id, exportsFiles, searchesLake }) => [
        roleOf(`ApiRoutes${id}Function`),
        JSON.stringify(exportsFiles || searchesLake ? [arnOfMaker, arnOfWriter] : arnOfMaker),
      ])
      .toSorted(),
  );
});

test.each([
  ["TraceUpkeepRepriceDays", ["EvaluationSweep"]],
  [
    "LakeWriteDays",
    [
      "EvaluationSweep",
      ...["Trace", "Session"].flatMap((target) =>
        ["ScoreSummary", "ScoreTrend", "ScoreDistribution"].map((figure) => `ApiRoutesget${target}${figure}Function`),
      ),
      ...["Trace", "Session"].flatMap((target) =>
        ["Run", "BatchRun"].map((kind) => `ApiRoutescreate${target}${kind}Function`),
      ),
      "ApiRoutescompareTraceScoresFunction",
      "ApiRouteslistSessionScoresFunction",
      "ApiRoutesgetSessionAnalyticsFunction",
      "ApiRoutesgetTraceAnalyticsFunction",
      "ApiRouteslistExportDaysFunction",
      "ApiRouteslistSessionsFunction",
      "ApiRouteslistTracesFunction",
      "ApiRouteslistUsersFunction",
    ],
  ],
])("the function %s is called by %s alone, and a failed call is stored, not retried", (name, callers) => {
  const called = functions().find(([id]) => id.startsWith(name))?.[0];
  const calling = allStatements
    .filter(({ Action }) => list(Action).includes("lambda:InvokeFunction"))
    .filter(({ Resource }) => JSON.stringify(Resource).includes(`"${called}"`))
    .map(({ role }) => role);
  const failures = Object.values(template.findResources("AWS::Lambda::EventInvokeConfig")).find(
    ({ Properties }) => Properties.FunctionName.Ref === called,
  )?.Properties;

  expect(calling.toSorted()).toEqual(callers.map(roleOf).toSorted());
  expect(failures).toMatchObject({ MaximumRetryAttempts: 0, Qualifier: "$LATEST" });
  expect(JSON.stringify(failures?.DestinationConfig)).toContain("TraceUpkeepAggregateTracesDeadLetters");
});

test("files of the lake are written by its writer, deleted by the sweeper too, and read for links", () => {
  const bucket = Object.keys(template.findResources("AWS::S3::Bucket"))[0];
  const actions = allStatements
    .filter(({ Resource }) => JSON.stringify(Resource).includes(String(bucket)))
    .map(({ role, Action, Resource }) => [
      role,
      Action,
      JSON.stringify(Resource).includes("/*") ? "objects" : "bucket",
    ]);
  const [writer, sweeper, exporter] = [lakeWriter(), "EvaluationSweep", "ApiRouteslistExportDaysFunction"].map((id) =>
    roleOf(String(id)),
  );

  expect(actions.toSorted()).toEqual(
    [
      [writer, ["s3:DeleteObject", "s3:GetObject", "s3:PutObject"], "objects"],
      [writer, "s3:ListBucket", "bucket"],
      [sweeper, "s3:DeleteObject", "objects"],
      [sweeper, "s3:ListBucket", "bucket"],
      [exporter, "s3:GetObject", "objects"],
    ].toSorted(),
  );
});

test("no statement allows every action of a service", () => {
  expect(allStatements.length).toBeGreaterThan(0);
  expect(allStatements.filter(({ Action }) => list(Action).some((action) => action.includes("*")))).toEqual([]);
});

const unbounded = (statementList: readonly Statement[]) =>
  statementList.filter(({ Resource }) => JSON.stringify(Resource).includes("*"));

const changingSchedules = ["scheduler:CreateSchedule", "scheduler:DeleteSchedule", "scheduler:UpdateSchedule"];

test("no statement allows an action on every resource, except for resources created at run time", () => {
  const unboundedActions = unbounded(allStatements).map(({ role, Action }) => [
    role.replace(/Function[0-9A-F]{8}$/u, ""),
    Action,
  ]);
  const schedulers = routes.filter(({ managesSchedules }) => managesSchedules).map(({ id }) => `ApiRoutes${id}`);

  expect(unboundedActions.toSorted()).toEqual(
    [
      // Ids of these keys are known to API Gateway only.
      ["InvitationsAnnounceWorker", "apigateway:DELETE"],
      ["InvitationsAnnounceWorker", ["apigateway:POST", "apigateway:PUT"]],
      // IAM cannot limit a list of schedules to resources.
      ["EvaluationSweepWorker", "scheduler:ListSchedules"],
      // Objects of the lake's bucket.
      ["LakeWriteDaysWorker", ["s3:DeleteObject", "s3:GetObject", "s3:PutObject"]],
      ["EvaluationSweepWorker", "s3:DeleteObject"],
      ["ApiRouteslistExportDays", "s3:GetObject"],
      // Limited to the schedule group of the monitors.
      ...["EvaluationSweepWorker", ...schedulers].map((role) => [role, changingSchedules]),
    ].toSorted(),
  );
});

test("only the optional account-wide log role may act on every resource", () => {
  const withLogRole = statements(synthesize({ gatewayLogRole: true }).template);
  const unboundedRoles = new Set(unbounded(allStatements).map(({ role }) => role));
  const everywhere = unbounded(withLogRole).filter(({ role }) => !unboundedRoles.has(role));

  expect(everywhere.map(({ role }) => role)).toEqual([expect.stringMatching(/^ApiLogsAccountRole/u)]);
  expect(everywhere.flatMap(({ Action }) => list(Action)).every((action) => action.startsWith("logs:"))).toBe(true);
});

test("no role has an AWS managed policy, and every policy is inline in its role", () => {
  const managed = Object.values(template.findResources("AWS::IAM::Role")).filter(
    ({ Properties }) => Properties.ManagedPolicyArns !== undefined,
  );

  expect(managed).toEqual([]);
  expect(Object.keys(template.findResources("AWS::IAM::Policy"))).toEqual([]);
});

test("the gateway may call each function through one role and nothing else", () => {
  const invokedFunctions = allStatements
    .filter(({ role }) => /^Api(RoutesInvoke|InvokeAuthorizer)/u.test(role))
    .flatMap(({ Resource }) => list(Resource).map((resource) => JSON.stringify(resource)));

  expect(new Set(invokedFunctions).size).toBe(routesWithFunction.length + 1);
  expect(invokedFunctions).toHaveLength(routesWithFunction.length + 1);
});

test("an alias of a route has no function, permission or log group of its own", () => {
  const second = routes.filter(({ answeredBy }) => answeredBy !== undefined);

  expect(second.map(({ id, answeredBy }) => `${id}: ${answeredBy}`)).toEqual([
    "getDocsTopic: getDocs",
    "getLlmsText: getDocs",
    "getCliLogin: getConsole",
    "getConsoleAsset: getConsole",
    "exportTracesLangfuse: exportTraces",
    "exportTracesLangsmith: exportTraces",
    "exportTracesLangsmithEndpoint: exportTraces",
    "getHealthLangfuse: getHealth",
    "createLangfuseDataset: createDataset",
    "listLangfuseDatasets: listDatasets",
    "getLangfuseDataset: listDatasets",
    "createLangfuseDatasetItem: createDataset",
    "listLangfuseDatasetItems: listDatasets",
    "createLangfuseDatasetRunItem: createLangfuseScores",
    ...["ingestLangsmithBatch", "createLangsmithRun", "updateLangsmithRun", "createLangsmithFeedback"].map(
      (id) => `${id}: ingestLangsmithRuns`,
    ),
    "getLangsmithInfo: getHealth",
    "updateLangsmithFeedback: ingestLangsmithRuns",
    "listLangsmithSessions: ingestLangsmithRuns",
    "createExport: listExportDays",
    "getDataset: listDatasets",
    "updateDataset: createDataset",
    "deleteDataset: createDataset",
    "createDatasetItems: createDataset",
    "listDatasetItems: listDatasets",
    "getDatasetItem: listDatasets",
    "updateDatasetItem: createDataset",
    "deleteDatasetItem: createDataset",
    "listExperiments: listDatasets",
    "getExperiment: listDatasets",
    "listExperimentItems: listDatasets",
    "createExperimentRun: createTraceBatchRun",
    "compareExperiments: listDatasets",
    "evaluateGate: listDatasets",
    "approveExperiment: createDataset",
    "getLabelSet: listLabelSets",
    "deleteLabelSet: createLabelSet",
    "takeNextLabelItem: createLabelSet",
    "putLabels: createLabelSet",
    "listLabelItems: listLabelSets",
    "uploadLabels: createLabelSet",
    "closeLabelSet: createLabelSet",
    "computeTrust: createLabelSet",
    "getTrust: listLabelSets",
    "getRunTemplateShort: getRunTemplate",
    "putTraceScore: createTraceScore",
    "putSessionScore: createSessionScore",
    "getAlert: listAlerts",
    "listAlertHistory: listAlerts",
    "updateAlert: createAlert",
    "deleteAlert: createAlert",
    "testAlert: createAlert",
    "previewMasking: listReachableProjects",
    ...["listPlans", "getSubscription", "getBilling", "listInvoices", "openCheckout", "openPortal"].map(
      (id) => `${id}: getUsage`,
    ),
  ]);
  for (const { id, answeredBy, handler, grants, access, permission } of second) {
    expect(functions().filter(([name]) => name.startsWith(`ApiRoutes${id}`))).toEqual([]);
    const first = routesWithFunction.find((route) => route.id === answeredBy);

    expect(first).toMatchObject({ handler, grants, access });
    // Feedback is a score, which needs more than the runs that its function also stores; people label who may do nothing else.
    const needed = permission?.endsWith("label") || answeredBy?.endsWith("LabelSets") ? first?.permission : permission;
    expect(first?.permission).toBe(id.endsWith("LangsmithFeedback") ? "ingest" : needed);
  }
});

test.each([
  ["GET /sessions", 1769],
  ["GET /traces", 1769],
  ["GET /traces/users", 1769],
  ["GET /sessions/analytics", 1024],
  ["POST /evaluations/session-runs", 1024],
  ["POST /evaluations/trace-runs", 1024],
  ["Creates the run of a monitor's scheduled instant", 1024],
] as const)("%s has the memory for the data that it may cache", (description, memory) => {
  const describedFunctions = functions().filter(
    ([
      ,
      {
        Properties: { Description: text },
      },
    ]) => (description.includes("/") ? text === description : text.startsWith(description)),
  );

  expect(describedFunctions.map(([, { Properties }]) => Properties.MemorySize)).toEqual([memory]);
  expect(memoryLimits[memory]).toBeLessThan(memory * 1024 * 1024 * 0.65);
});

test("Lambda logs a call only when it failed, and leaves the service's log lines unchanged", () => {
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
  expect(new Set(logging.map((config) => JSON.stringify(config)))).toEqual(
    new Set([JSON.stringify([["Ref"], { LogFormat: "JSON", SystemLogLevel: "WARN" }])]),
  );
});
