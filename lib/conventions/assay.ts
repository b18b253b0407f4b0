import { labelAt } from "./attributes/reader.ts";
import { inNamespace, type Convention } from "./convention.ts";

/** Attributes of this service, for programs in any language that run experiments. */
export const assay: Convention = {
  applies: inNamespace("assay"),
  experiment: [labelAt("assay.experiment")],
  experimentItem: [labelAt("assay.experiment.item")],
  dataset: [labelAt("assay.dataset")],
  bookkeeping: ["assay."],
};
