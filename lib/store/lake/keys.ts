/** Partition of a project's manifests, one item per UTC day, by day. */
export const manifestPartition = (project: string): string => `${project}#lake`;

/** Partition of a project's change marks of closed days, by instant. */
export const changePartition = (project: string): string => `${project}#lake-changes`;

/** Partition of a project's snapshots of days whose files are not up to date, by day. */
export const snapshotPartition = (project: string): string => `${project}#lake-snapshots`;
