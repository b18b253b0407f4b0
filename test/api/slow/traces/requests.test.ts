import { afterAll, beforeAll, expect, test } from "vitest";
import { createTrace } from "../../../../lib/contract/traces/traces.ts";
import { bearerClient, type Client, newProject } from "../../../support/service/client.ts";
import { type RunningService, startService } from "../../../support/service/service.ts";
import { someTrace } from "../../../support/traces/traces.ts";
import { type CountedRequest, countedEngine } from "../../../vitals/counted-engine.ts";

let service: RunningService;
const requests: CountedRequest[] = [];

beforeAll(async () => {
  service = await startService({ engine: countedEngine((request) => requests.push(request)) });
});
afterAll(() => service.close());

const { trace_id: _, ...unnamed } = someTrace();

/** Write requests of a new trace: the claim with the document, the row, and the count of the rate limit. */
const write = 3;

test.each<[string, string, (running: RunningService) => Client, () => unknown, Omit<CountedRequest, "caller">[]]>([
  [
    "a key and no id",
    "4 requests: its project and the count, the document, the row",
    (running) => newProject(running),
    () => unnamed,
    [
      { read: 2, write: 0 },
      { read: 0, write: 1 },
      { read: 0, write: 1 },
      { read: 0, write: 1 },
    ],
  ],
  [
    "a key and an id",
    "5 requests: a read by id too",
    (running) => newProject(running),
    () => someTrace(),
    [
      { read: 2, write: 0 },
      { read: 0.5, write: 0 },
      { read: 0, write: 1 },
      { read: 0, write: 1 },
      { read: 0, write: 1 },
    ],
  ],
  [
    "a token and no id",
    "4 requests: its project with the membership and the count, the document, the row",
    (running) => bearerClient(running, running.tenant.projectId),
    () => unnamed,
    [
      { read: 3, write: 0 },
      { read: 0, write: 1 },
      { read: 0, write: 1 },
      { read: 0, write: 1 },
    ],
  ],
])("a warm POST /traces with %s makes %s", async (_with, _made, client, body, expected) => {
  const caller = client(service);
  // Warm: the function has started, its rate limit's window is open, the day is listed and the user is known.
  await caller.answer(createTrace, { body: body() });
  await caller.answer(createTrace, { body: body() });
  const from = requests.length;

  await caller.answer(createTrace, { body: body() });

  const requestSizes = requests
    .slice(from)
    .filter((request) => request.caller.includes("createTrace"))
    .map(({ read, write: writeUnits }) => ({ read, write: writeUnits }));
  expect(requestSizes.toSorted((a, b) => b.read - a.read || b.write - a.write)).toEqual(expected);
  expect(requestSizes.reduce((sum, { write: writeUnits }) => sum + writeUnits, 0)).toBe(write);
});
