import type { approveExperiment } from "../../contract/experiments/approval.ts";
import { decideGate } from "../../domain/experiments/rules.ts";
import { invalid, notFound, Refusal } from "../../domain/refusal.ts";
import type { Database } from "../../dynamo/database.ts";
import { datasetReply } from "../../http/datasets/reply.ts";
import type { HandlerRequest } from "../../http/endpoint.ts";
import { datasetStore } from "../../store/datasets/datasets.ts";
import { compareRead, defaultMaxDrop } from "./compare.ts";
import { experimentReader, type ReadExperiment } from "./read.ts";

/** Returns the function that approves experiments. */
export const experimentApproval = (database: Database) => {
  const [reader, datasets] = [experimentReader(database), datasetStore(database)];

  /** @throws Refusal `conflict` if the experiment is worse than the approved one, which may have lost all its traces. */
  const checkApproved = async (project: string, approved: string, candidate: ReadExperiment): Promise<void> => {
    const baseline = await reader.readIfPresent(project, approved);
    if (baseline === null || baseline.experiment.id === candidate.experiment.id) return;
    const { metrics } = await compareRead(reader, baseline, candidate, null, defaultMaxDrop);
    const rules = metrics.map(({ name, outcome }) => ({ name, isWatching: false, outcome }));
    const { failing } = decideGate(rules);
    const reasons = rules
      .filter((rule) => failing.has(rule))
      .map(({ name, outcome: { test } }) => {
        const [mean, lower, upper] = [test.mean, test.interval?.lower, test.interval?.upper].map((each) =>
          each?.toFixed(3),
        );
        return `${name} by ${mean} (95 %: ${lower} to ${upper})`;
      });
    if (reasons.length > 0)
      throw new Refusal({
        kind: "conflict",
        detail: `The experiment is worse than the approved one in ${reasons.join(", ")}. \`force\` approves it.`,
      });
  };

  return async ({ body, params, project }: HandlerRequest<typeof approveExperiment>) => {
    const unknown = notFound(`Dataset ${params.dataset_id} not found.`);
    const dataset = await datasets.get(project.id, params.dataset_id);
    if (dataset === null) throw unknown;
    const candidate = await reader.read(project.id, body.experiment_id);
    if ((await reader.datasetOf(candidate.experiment))?.id !== dataset.id)
      throw invalid(["body", "experiment_id"], "The traces of the experiment name another dataset, or none");
    if (dataset.approvedExperiment !== null && !body.force)
      await checkApproved(project.id, dataset.approvedExperiment, candidate);
    const changed = await datasets.change(project.id, dataset.id, ({ settings, approvedExperiment }) => {
      const isCompared = [dataset.approvedExperiment, candidate.experiment.id].includes(approvedExperiment);
      if (!isCompared && !body.force)
        throw new Refusal({ kind: "conflict", detail: "Another experiment was approved meanwhile. Try again." });
      return { settings, approvedExperiment: candidate.experiment.id };
    });
    if (changed === null) throw unknown;
    return datasetReply(changed);
  };
};
