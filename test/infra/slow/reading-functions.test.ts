import type { Template } from "aws-cdk-lib/assertions";
import { expect, test } from "vitest";
import { routes } from "../../../lib/contract/routes.ts";
import { list, resources, statements } from "../policies.ts";
import { everySetting } from "../settings/every-setting.ts";
import { synthesize } from "../synthesize.ts";

const reads = new Set([
  ...["GetItem", "BatchGetItem", "Query", "ConditionCheckItem"].map((action) => `dynamodb:${action}`),
  "ssm:GetParameter",
]);

/** Keys serve reads and writes that other permissions allow; the log group is the function's. */
const servesOthers = /^(?:kms|logs):/u;

const langsmithWrites = {
  actions: [
    ...["bodies", "scores"].map((table) => `dynamodb:DeleteItem ${table}`),
    ...["bodies", "rows", "scores"].map((table) => `dynamodb:PutItem ${table}`),
    ...["bodies", "rows"].map((table) => `dynamodb:UpdateItem ${table}`),
  ],
  reason: "One function answers all requests of a program's SDK, which asks for these once, at its start.",
};

const asksFiles = {
  actions: [`lambda:InvokeFunction {"Fn::GetAtt":["LakeWriteDaysWorkerFunctionE4A90BDF","Arn"]}`],
  reason: "The function with DuckDB reads files and words of closed days; without a question it writes what is due.",
};

/** What functions that answer a GET may change, and why. */
const writesByGet: Readonly<Record<string, { readonly actions: readonly string[]; readonly reason: string }>> = {
  "/exports": {
    actions: [
      "dynamodb:PutItem aggregates",
      `lambda:InvokeFunction {"Fn::GetAtt":["LakeWriteDaysWorkerFunctionE4A90BDF","Arn"]}`,
      `s3:GetObject {"Fn::Join":["",[{"Fn::GetAtt":["LakeBucketB1D32E10","Arn"]},"/*"]]}`,
    ],
    reason:
      "Its function also answers those who ask for files, which are written then: a role less of an account's 1,000.",
  },
  ...Object.fromEntries(
    ["trace", "session"].flatMap((target) =>
      ["summary", "trend", "distribution"].map((figure) => [
        `/evaluations/analytics/${target}-scores/${figure}`,
        asksFiles,
      ]),
    ),
  ),
  "/evaluations/session-scores": asksFiles,
  "/evaluations/analytics/trace-scores/compare": {
    ...asksFiles,
    reason: "It has the role of the other figures of scores: a role less of an account's 1,000. It asks nothing.",
  },
  "/sessions": asksFiles,
  "/sessions/analytics": asksFiles,
  "/traces": asksFiles,
  "/traces/analytics": asksFiles,
  "/traces/users": asksFiles,
  "/langsmith/sessions": langsmithWrites,
  "/sessions/{session_id}": {
    actions: ["dynamodb:PutItem aggregates", "dynamodb:UpdateItem aggregates"],
    reason: "Only a reader of all rows of a large session has the sums of its segments, which the next reader uses.",
  },
};

/** Returns the actions of each function that are more than reading, as `<action> <resource>`. */
const changesByFunction = (template: Template): ReadonlyMap<string, readonly string[]> => {
  const maker = Object.keys(template.findResources("AWS::Lambda::Function")).find((id) =>
    id.startsWith("ApiMakeProject"),
  );
  const allowed = new Set([
    // Counts of a client's minute, which no client reads.
    "dynamodb:UpdateItem limits",
    // A project is created when a key names it for the first time, by whichever method.
    `lambda:InvokeFunction ${JSON.stringify({ "Fn::GetAtt": [maker, "Arn"] })}`,
  ]);
  const changes = statements(template).flatMap((statement) =>
    list(statement.Action)
      .filter((action) => statement.Effect === "Allow" && !reads.has(action) && !servesOthers.test(action))
      .flatMap((action) => resources(statement).map((resource) => [statement.role, `${action} ${resource}`] as const))
      .filter(([, change]) => !allowed.has(change)),
  );
  return new Map(
    [...Map.groupBy(changes, ([role]) => role)].map(([role, each]) => [
      role,
      each.map(([, change]) => change).toSorted(),
    ]),
  );
};

/** Returns the function that answers each path's GET, by logical id. */
const functionsOfGets = (template: Template): readonly (readonly [path: string, functionId: string])[] => {
  const [api] = Object.values(template.findResources("AWS::ApiGateway::RestApi"));
  return Object.entries<Record<string, unknown>>(api?.["Properties"].Body.paths).flatMap(([path, { get }]) => {
    const id = /\/functions\/\$\{(\w+)\.Arn\}\//u.exec(JSON.stringify(get) ?? "")?.[1];
    return id === undefined ? [] : [[path, id] as const];
  });
};

test.each([["default settings", {}] as const, ["every setting", everySetting] as const])(
  "with %s a function that answers a GET may only read, count the request and have a project made, but for a listed reason",
  (_, context) => {
    const { template } = synthesize(context);
    const gets = functionsOfGets(template);
    const changes = changesByFunction(template);

    expect(gets).toHaveLength(routes.filter(({ method }) => method === "GET").length);
    expect(
      Object.fromEntries(gets.flatMap(([path, id]) => (changes.has(id) ? [[path, changes.get(id)]] : []))),
    ).toEqual(Object.fromEntries(Object.entries(writesByGet).map(([path, { actions }]) => [path, actions])));
  },
);
