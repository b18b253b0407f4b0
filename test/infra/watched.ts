interface Metric {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions: readonly { readonly Name: string; readonly Value: unknown }[];
}

/** Metrics that an alarm of the template watches: its own, or those of its expression. */
export const watchedBy = (
  alarm: Partial<Metric> & { readonly Metrics?: readonly { readonly MetricStat?: { readonly Metric: Metric } }[] },
): readonly Metric[] => {
  const { Namespace, MetricName, Dimensions = [], Metrics = [] } = alarm;
  if (Namespace !== undefined && MetricName !== undefined) return [{ Namespace, MetricName, Dimensions }];
  return Metrics.flatMap(({ MetricStat }) => MetricStat?.Metric ?? []);
};

/** Logical id of the queue whose waiting messages an alarm watches; undefined for another alarm. */
export const watchedQueue = (alarm: Parameters<typeof watchedBy>[0]): string | undefined => {
  const queueMetric = watchedBy(alarm).find(({ MetricName }) => MetricName === "ApproximateNumberOfMessagesVisible");
  const value = queueMetric?.Dimensions[0]?.Value as { readonly "Fn::GetAtt"?: readonly string[] } | undefined;
  return value?.["Fn::GetAtt"]?.[0];
};
