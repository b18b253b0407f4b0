import { safeParse } from "valibot";
import { customMetricInput } from "../../../lib/contract/metrics/custom-fields.ts";
import { importCustomMetric } from "../../../lib/contract/metrics/custom-metrics.ts";
import { importedMetric } from "../../../lib/domain/metrics/imported/imported-metric.ts";
import { invalid } from "../../../lib/domain/refusal.ts";
import { customMetricMaker } from "../../../lib/handlers/metrics/make-custom-metric.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { DryRun } from "../../../lib/http/other-answer.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";

const { database, make, tryOut } = customMetricMaker();

export const handler = endpoint(importCustomMetric, environmentGate(database), async (request) => {
  const { metric, name: asked, target_type } = request.body;
  const imported = importedMetric(metric);
  if (typeof imported === "string") throw invalid(["body", "metric"], imported);
  const { notes, name: theirs, ...said } = imported;
  const name = asked ?? theirs;
  if (name === null) throw invalid(["body", "name"], "The metric has no name: say what it is called here.");
  const parsed = safeParse(customMetricInput, { ...said, name, target_type });
  if (!parsed.success) throw invalid(["body", "metric"], parsed.issues[0].message);
  const { name: named, ...sent } = parsed.output;
  const told = { notes: [...notes] };
  return request.query.dry_run
    ? new DryRun({ ...(await tryOut(request, { name: named, sent })), ...told })
    : { ...(await make(request, { name: named, sent })), ...told };
});
