import { sessionMetricNames } from "./session/catalogue.ts";
import { judgedCatalogue } from "./trace/catalogue.ts";

/** Last parts of addresses beside those of metrics. */
const addresses = ["preview", "gallery", "import", "lint"];

/** Names that no metric of a project's own may have. */
export const reservedMetricNames: readonly string[] = [
  ...Object.keys(judgedCatalogue),
  ...sessionMetricNames,
  ...addresses,
];
