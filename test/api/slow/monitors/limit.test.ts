import { expect, inject, test } from "vitest";
import { createMonitor, deleteMonitor } from "../../../../lib/contract/monitors/monitors.ts";
import { inTurn } from "../../../support/in-turn.ts";
import { newProject } from "../../../support/service/client.ts";

const service = inject("service");

test("a project has at most 100 monitors; a deletion makes room, and a repeated request returns its monitor", async () => {
  const project = newProject(service);
  const numbers = Array.from({ length: 100 }, (_, index) => index);
  const bodyOf = (index: number) => ({
    name: `monitor ${index}`,
    target_type: "TRACE",
    metrics: ["task_completion"],
    cadence: "weekly",
  });
  const create = (index: number) =>
    project.call(createMonitor, { body: bodyOf(index), headers: { "Idempotency-Key": `monitor-${index}` } });

  const replies = await inTurn(numbers, create);
  const beyond = await create(100);
  const repeated = await create(99);
  const last = await project.answer(createMonitor, {
    body: bodyOf(99),
    headers: { "Idempotency-Key": "monitor-99" },
  });
  await project.call(deleteMonitor, { params: { monitor_id: last.id } });
  const afterwards = await create(101);

  expect(replies.map(({ status }) => status)).toEqual(numbers.map(() => 201));
  expect([beyond.status, beyond.body]).toEqual([
    403,
    { detail: "A project has at most 100 monitors. Delete a monitor first." },
  ]);
  expect([repeated.status, repeated.body, afterwards.status]).toEqual([201, replies[99]?.body, 201]);
});
