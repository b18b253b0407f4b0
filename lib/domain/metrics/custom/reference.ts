import type { CustomMetric } from "./definition.ts";

/**
 * Valid names of custom metrics: lower-case letters, digits and underscores, beginning with a letter. `@` is excluded
 * because it separates the version.
 */
export const customMetricNamePattern = /^[a-z][a-z0-9_]{0,63}$/;

/** A reference to a metric in a run: `name` for the newest version, or `name@3`. */
export interface MetricReference {
  readonly name: string;
  /** Version number; null for the newest version. */
  readonly version: number | null;
}

const versioned = /^(.+)@([1-9]\d{0,5})$/;

/**
 * Parses a metric reference.
 *
 * @example
 * metricReference("tone@3"); // { name: "tone", version: 3 }
 * metricReference("tone"); // { name: "tone", version: null }
 */
export const metricReference = (text: string): MetricReference => {
  const [, name, version] = versioned.exec(text) ?? [];
  return name === undefined ? { name: text, version: null } : { name, version: Number(version) };
};

/** Formats a metric with its version, as runs store it: `name@3`. */
export const versionedName = (name: string, version: number): string => `${name}@${version}`;

/** True if new runs can use a version of a metric. Versions of a deleted metric with the same name can only be read. */
export const hasVersion = ({ versions, since }: Pick<CustomMetric, "versions" | "since">, version: number): boolean =>
  version >= since && version <= versions.length;
