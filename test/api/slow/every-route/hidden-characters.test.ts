import { expect, test } from "vitest";
import { createApiKey } from "../../../../lib/contract/access/api-keys.ts";
import { createOrganization, updateOrganization } from "../../../../lib/contract/access/organizations.ts";
import { createProject, updateProject } from "../../../../lib/contract/access/projects.ts";
import { createMonitor, updateMonitor } from "../../../../lib/contract/monitors/monitors.ts";
import { createSessionRun } from "../../../../lib/contract/runs/session-runs.ts";
import { createTraceBatchRun, createTraceRun } from "../../../../lib/contract/runs/trace-runs.ts";
import { listTraces } from "../../../../lib/contract/traces/traces.ts";
import { inTurn } from "../../../support/in-turn.ts";
import { problems } from "../../../support/reply-shape.ts";
import { callerOf, project } from "../../../support/service/every-route.ts";

const trace_id = "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01";

const hiddenCharacters = [
  "\0",
  "\n",
  "\u007f",
  "\u0085",
  "\u061c",
  "\u200e",
  "\u200f",
  "\u2028",
  "\u202a",
  "\u202e",
  "\u2066",
  "\u2069",
];

test.each([
  ["a project", createProject, "name", (name: string) => ({ name })],
  ["a key", createApiKey, "name", (name: string) => ({ name })],
  [
    "a monitor",
    createMonitor,
    "name",
    (name: string) => ({ name, target_type: "TRACE", metrics: ["task_completion"], cadence: "daily" }),
  ],
  ["a judge", createTraceRun, "model", (model: string) => ({ metrics: ["task_completion"], model: `openai/${model}` })],
  [
    "a judge of a list",
    createTraceBatchRun,
    "model",
    (model: string) => ({ trace_ids: [trace_id], metrics: ["task_completion"], model: `openai/${model}` }),
  ],
  [
    "a judge of sessions",
    createSessionRun,
    "model",
    (model: string) => ({ metrics: ["agent_reliability"], model: `openai/${model}` }),
  ],
  ["an organization", createOrganization, "name", (name: string) => ({ name })],
  ["an organization that is changed", updateOrganization, "name", (name: string) => ({ name })],
  ["a project that is changed", updateProject, "name", (name: string) => ({ name })],
  ["a monitor that is changed", updateMonitor, "name", (name: string) => ({ name })],
  ["a monitor's judge that is changed", updateMonitor, "model", (model: string) => ({ model: `openai/${model}` })],
] as const)("the name of %s must not have invisible characters", async (_what, route, field, bodyWith) => {
  const params = { org_id: "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01" };
  const replies = await inTurn(hiddenCharacters, (character) =>
    callerOf(route).call(route, { params, body: bodyWith(`a${character}b`) }),
  );

  expect(replies.map((reply) => [reply.status, problems(reply)])).toEqual(
    hiddenCharacters.map(() => [422, [`body.${field}`]]),
  );
});

test("a project that is named for the first time must not have them either", async () => {
  const headers = { "X-Project-Name": "a\u0085b" };

  expect((await project.call(listTraces, { headers })).status).toBe(422);
});
