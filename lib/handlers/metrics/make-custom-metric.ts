import type { TriedMetric, CustomMetricReply } from "../../contract/metrics/custom-metrics.ts";
import { definitionOf } from "../../domain/metrics/custom/define.ts";
import type { SentMetric } from "../../domain/metrics/custom/definition.ts";
import type { Repeat } from "../../domain/repeat.ts";
import { checkCustomName, customMetricReply, triedReply } from "../../http/metrics/custom-metric.ts";
import { connect } from "../../store/database.ts";
import { metricTaken } from "../../store/metrics/custom-metrics.ts";
import { requiredNumber, variables } from "../../wiring/environment.ts";
import { environmentCustomMetrics } from "../../wiring/custom-metrics.ts";

/** A metric that a request asks for. */
interface Asked {
  readonly name: string;
  readonly sent: SentMetric;
}

/** What a request is that makes a metric. */
interface Making {
  readonly project: { readonly id: string };
  readonly mint: (purpose: string) => string;
  readonly repeat: Repeat;
}

/** Makes metrics of a project's own, and says what would become of one. */
export const customMetricMaker = () => {
  const database = connect();
  const metrics = environmentCustomMetrics(database);
  const most = requiredNumber(variables.maxCustomMetrics);
  return {
    database,
    /** @throws Refusal as `OwnMetrics.create`, `invalid` where name or definition are. */
    make: async ({ mint, project, repeat }: Making, { name, sent }: Asked): Promise<CustomMetricReply> => {
      checkCustomName(name);
      const definition = definitionOf(sent);
      const made = { id: mint("metric"), projectId: project.id, name, definition, sent };
      const { metric, version } = await metrics.create(made, most, repeat);
      return customMetricReply(metric, version);
    },
    /** @throws Refusal `invalid` where name or definition are, `conflict` when the name is taken. */
    tryOut: async ({ project }: Pick<Making, "project">, { name, sent }: Asked): Promise<TriedMetric> => {
      checkCustomName(name);
      const definition = definitionOf(sent);
      const before = await metrics.get(project.id, name);
      if (before !== null && before.deletedAt === null) throw metricTaken(name);
      return triedReply(name, definition, sent);
    },
  };
};
