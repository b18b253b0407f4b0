import { expect } from "vitest";
import { createExport } from "../../../lib/contract/traces/exports.ts";
import { endOfDay, instantAt } from "../../../lib/domain/instant.ts";
import { itemsOf } from "../../../lib/dynamo/items.ts";
import { dueDays } from "../../../lib/store/lake/due-days.ts";
import { manifestPartition } from "../../../lib/store/lake/keys.ts";
import { lakeManifests } from "../../../lib/store/lake/manifests.ts";
import { requestTimeout, type Client } from "../service/client.ts";
import { databaseOf } from "../service/service-database.ts";
import type { RunningService } from "../service/service.ts";

/** Has a service write the files of a project's day: it began to close an hour ago. */
export const closeDay = async (
  service: RunningService,
  project: Client,
  projectId: string,
  day: string,
): Promise<void> => {
  const options = { timeout: requestTimeout, interval: 500 };
  const manifest = () => lakeManifests(databaseOf(service)).get(projectId, day);
  await project.answer(createExport, { body: { started_after: day, started_before: instantAt(endOfDay(day)) } });
  await expect.poll(manifest, options).toMatchObject({ generation: 0 });
  const key = { pk: manifestPartition(projectId), sk: day };
  const values = { ":since": Date.now() - 3_600_000 };
  await itemsOf(databaseOf(service), "aggregates").update(key, "SET since = :since", { values });
  await expect
    .poll(async () => {
      // Again, as the writer of the export's snapshot may have the day.
      await dueDays(databaseOf(service)).ask([{ project: projectId, day }]);
      for (const sweeper of service.stack.scheduled) await service.stack.functions.invoke(sweeper, {});
      return (await manifest())?.words;
    }, options)
    .toHaveLength(1);
};
