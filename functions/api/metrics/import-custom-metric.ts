import { safeParse } from "valibot";
import { customMetricInput } from "../../../lib/contract/metrics/custom-fields.ts";
import { importCustomMetric } from "../../../lib/contract/metrics/metric-sources.ts";
import { importedMetric } from "../../../lib/domain/metrics/imported/imported-metric.ts";
import { invalid } from "../../../lib/domain/refusal.ts";
import { customMetricCreation } from "../../../lib/handlers/metrics/create-custom-metric.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { DryRun } from "../../../lib/http/answers.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";

const { database, create, dryRun } = customMetricCreation();

export const handler = endpoint(importCustomMetric, environmentGuard(database), async (request) => {
  const { metric, name: requestedName, target_type } = request.body;
  const imported = importedMetric(metric);
  if (typeof imported === "string") throw invalid(["body", "metric"], imported);
  const { notes, name: importedName, ...definition } = imported;
  const name = requestedName ?? importedName;
  if (name === null) throw invalid(["body", "name"], "The metric has no name. Send one in name.");
  const parsed = safeParse(customMetricInput, { ...definition, name, target_type });
  if (!parsed.success) throw invalid(["body", "metric"], parsed.issues[0].message);
  const { name: validName, ...input } = parsed.output;
  const importNotes = { notes: [...notes] };
  return request.query.dry_run
    ? new DryRun({ ...(await dryRun(request, { name: validName, input })), ...importNotes })
    : { ...(await create(request, { name: validName, input })), ...importNotes };
});
