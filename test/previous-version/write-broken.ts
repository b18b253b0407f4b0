import { DeleteItemCommand, type DynamoDBClient, PutItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import type { Send } from "./caller.ts";
import { readItems } from "./table-items.ts";
import { smallTrace } from "./write-traces.ts";
import { uuidOf } from "./write-ids.ts";

type Tables = Readonly<Record<string, string>>;

/** Restores the state of a run before its commit, which sets the status and lists the run. */
const takeCommitBack = async (client: DynamoDBClient, { runs = "" }: Tables, run: string): Promise<void> => {
  const { runs: items = [] } = await readItems(client, { runs });
  const item = items.find(({ pk, sk }) => pk?.S?.endsWith(run) === true && sk?.S === "run");
  if (item?.["pk"] === undefined || item["sk"] === undefined) throw new Error("The run is not there.");
  await client.send(
    new UpdateItemCommand({
      TableName: runs,
      Key: { pk: item["pk"], sk: item["sk"] },
      UpdateExpression: "SET #status = :creating REMOVE list_key",
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: { ":creating": { S: "CREATING" } },
    }),
  );
};

/** Restores the state of a trace before its commit, which writes the row. */
const takeRowBack = async (client: DynamoDBClient, { rows = "" }: Tables, trace: string): Promise<void> => {
  const { rows: items = [] } = await readItems(client, { rows });
  const id = trace.replaceAll("-", "");
  const row = items.find(({ sk }) =>
    Buffer.from(sk?.B ?? [])
      .toString("hex")
      .endsWith(id),
  );
  if (row?.["pk"] === undefined || row["sk"] === undefined) throw new Error("The row is not there.");
  await client.send(new DeleteItemCommand({ TableName: rows, Key: { pk: row["pk"], sk: row["sk"] } }));
};

/**
 * Splits a one-part document in two, like a document of more than 390 KB compressed, which is too large for a fixture.
 * The last byte of a row with a one-piece document is the number of parts.
 */
const cutDocument = async (
  client: DynamoDBClient,
  { rows = "", bodies = "" }: Tables,
  trace: string,
): Promise<void> => {
  const storedItems = await readItems(client, { rows, bodies });
  const id = trace.replaceAll("-", "");
  const row = storedItems["rows"]?.find(({ sk }) =>
    Buffer.from(sk?.B ?? [])
      .toString("hex")
      .endsWith(id),
  );
  const pointer = storedItems["bodies"]?.find(({ pk, sk }) => pk?.S?.endsWith(trace) === true && sk?.S === "row");
  const [packed, document] = [row?.["d"]?.B, pointer?.["b"]?.B];
  if (packed?.at(-1) !== 1 || document === undefined || pointer?.["i"]?.S === undefined)
    throw new Error("The document is not one part.");
  const middle = Math.floor(document.length / 2);
  const d = { B: Buffer.from(packed).fill(2, packed.length - 1) };
  const { r: _, ...shared } = pointer;
  const part = { ...shared, sk: { S: `part#${pointer["i"].S}#1` }, b: { B: document.subarray(middle) } };
  await client.send(new PutItemCommand({ TableName: rows, Item: { ...row, d } }));
  await client.send(new PutItemCommand({ TableName: bodies, Item: part }));
  await client.send(
    new PutItemCommand({ TableName: bodies, Item: { ...pointer, b: { B: document.subarray(0, middle) } } }),
  );
};

/** Marks an hour as stale and a project's counters for checking by a later worker. */
const mark = async (client: DynamoDBClient, { aggregates = "" }: Tables, now: number): Promise<void> => {
  const { aggregates: items = [] } = await readItems(client, { aggregates });
  const hour = items.find(({ pk }) => pk?.S?.endsWith("#hours"));
  const [project = "", key = ""] = [hour?.["pk"]?.S?.slice(0, -"#hours".length), hour?.["sk"]?.S];
  const [, ...name] = key.split("#");
  const ttl = { N: String(Math.ceil(now / 1000) + 86_400) };
  const marks = [
    { pk: { S: "pending#hours" }, sk: { S: `${project}#${name.join("#")}` }, token: { S: uuidOf("token") } },
    { pk: { S: "pending#counts" }, sk: { S: `${project}#look` }, state: { S: "other" }, at: { N: String(now) }, ttl },
  ];
  for (const Item of marks) await client.send(new PutItemCommand({ TableName: aggregates, Item }));
};

/** Merges a counter's partial sum, as after the end of a shard. */
const mergeCounter = async (client: DynamoDBClient, { aggregates = "" }: Tables): Promise<void> => {
  const { aggregates: items = [] } = await readItems(client, { aggregates });
  const partial = items.find(({ sk, n }) => sk?.S?.startsWith("total#shard") === true && Number(n?.N) > 10);
  if (partial?.["pk"] === undefined) throw new Error("There is no counter.");
  const [n, merged] = [Number(partial["n"]?.N), 3];
  const base = { pk: partial["pk"], sk: { S: "total#base" }, n: { N: String(merged) } };
  for (const Item of [base, { ...partial, n: { N: String(n - merged) } }])
    await client.send(new PutItemCommand({ TableName: aggregates, Item }));
};

/** Creates the states left by processes that crashed midway or have just started, without background work. */
export const breakOff = async (send: Send, client: DynamoDBClient, tables: Tables, now: number): Promise<void> => {
  const run = (name: string) =>
    send("POST", "/evaluations/trace-runs", { name, metrics: ["task_completion", "tool_correctness"] });
  await run("pending");
  const { id } = await run("creating");
  await takeCommitBack(client, tables, id);
  await send("POST", "/traces", smallTrace("uncommitted", now));
  await takeRowBack(client, tables, uuidOf("uncommitted"));
  await cutDocument(client, tables, uuidOf("large"));
  await mark(client, tables, now);
  await mergeCounter(client, tables);
};
