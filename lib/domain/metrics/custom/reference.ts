import type { CustomMetric } from "./definition.ts";

/** A name: lower-case letters, digits and underscores, a letter first. Nothing in it is a version's mark. */
export const customNamePattern = /^[a-z][a-z0-9_]{0,63}$/;

/** A metric as a run names it: `name`, the newest version, or `name@3`. */
export interface MetricReference {
  readonly name: string;
  /** Null: the newest. */
  readonly version: number | null;
}

const versioned = /^(.+)@([1-9]\d{0,5})$/;

/** What a run asks for by a text. */
export const metricReference = (text: string): MetricReference => {
  const [, name, version] = versioned.exec(text) ?? [];
  return name === undefined ? { name: text, version: null } : { name, version: Number(version) };
};

/** A version of a metric, as runs keep it: `name@3`. */
export const versionedName = (name: string, version: number): string => `${name}@${version}`;

/** Whether a metric has a version that new judgements may ask for: those of a deleted one of its name can only be read. */
export const hasVersion = ({ versions, since }: Pick<CustomMetric, "versions" | "since">, version: number): boolean =>
  version >= since && version <= versions.length;
