import type { Fields, ValuesOf } from "../fields.ts";

/** Settings of a dataset. The contract describes them. */
export const datasetFields = {
  name: { kind: "name", max: 512 },
  description: { kind: "text", max: 10_000, nullable: true },
  metadata: { kind: "object", default: {}, nullInUpdate: "resets" },
} as const satisfies Fields;

/** Settings of a dataset that the user can change. */
export type DatasetSettings = ValuesOf<typeof datasetFields>;
