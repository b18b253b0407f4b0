import type { TriedMetric, OwnMetricReply } from "../../contract/metrics/own-metrics.ts";
import { definitionOf } from "../../domain/metrics/own/define.ts";
import type { SentMetric } from "../../domain/metrics/own/definition.ts";
import type { Repeat } from "../../domain/repeat.ts";
import { checkOwnName, ownMetricReply, triedReply } from "../../http/metrics/own-metric.ts";
import { connect } from "../../store/database.ts";
import { metricTaken } from "../../store/metrics/own-metrics.ts";
import { requiredNumber, variables } from "../../wiring/environment.ts";
import { environmentOwnMetrics } from "../../wiring/own-metrics.ts";

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
export const ownMetricMaker = () => {
  const database = connect();
  const metrics = environmentOwnMetrics(database);
  const most = requiredNumber(variables.maxOwnMetrics);
  return {
    database,
    /** @throws Refusal as `OwnMetrics.create`, `invalid` where name or definition are. */
    make: async ({ mint, project, repeat }: Making, { name, sent }: Asked): Promise<OwnMetricReply> => {
      checkOwnName(name);
      const definition = definitionOf(sent);
      const made = { id: mint("metric"), projectId: project.id, name, definition, sent };
      const { metric, version } = await metrics.create(made, most, repeat);
      return ownMetricReply(metric, version);
    },
    /** @throws Refusal `invalid` where name or definition are, `conflict` when the name is taken. */
    tryOut: async ({ project }: Pick<Making, "project">, { name, sent }: Asked): Promise<TriedMetric> => {
      checkOwnName(name);
      const definition = definitionOf(sent);
      const before = await metrics.get(project.id, name);
      if (before !== null && before.deletedAt === null) throw metricTaken(name);
      return triedReply(name, definition, sent);
    },
  };
};
