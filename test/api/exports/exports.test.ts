import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createTraces } from "../../../lib/contract/traces/batch.ts";
import { createExport, listExportDays } from "../../../lib/contract/traces/exports.ts";
import { newProject } from "../../support/service/client.ts";

const service = inject("service");

test("try", async () => {
  const project = newProject(service);
  const started_at = "2026-10-01T10:00:00Z";
  await project.answer(createTraces, { body: { traces: Array.from({ length: 3 }, (_, i) => ({ trace_id: randomUUID(), name: `t${i}`, started_at })) } as never });
  console.log(JSON.stringify(await project.answer(listExportDays, { query: { started_after: "2026-10-01", started_before: "2026-10-03" } } as never), null, 1));
  for (let i = 0; i < 20; i += 1) {
    const reply = await project.answer(createExport, { body: { started_after: "2026-10-01", started_before: "2026-10-03" } });
    console.log(JSON.stringify(reply, null, 1));
    if (reply.complete) {
      const file = await fetch(reply.days[0]!.files[0]!.url);
      console.log(file.status, (await file.arrayBuffer()).byteLength);
      expect(file.status).toBe(200);
      break;
    }
    await new Promise((r) => setTimeout(r, 1000));
  }
});
