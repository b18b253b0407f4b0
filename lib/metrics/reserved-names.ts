import { sessionMetricNames } from "./session/catalogue.ts";
import { judgedCatalogue } from "./trace/catalogue.ts";

/** Path segments of the metrics API that a metric's name would collide with. */
const reservedPaths = ["preview", "gallery", "import", "lint"];

/** Names that a custom metric cannot have: built-in metrics and path segments of the API. */
export const reservedMetricNames: readonly string[] = [
  ...Object.keys(judgedCatalogue),
  ...sessionMetricNames,
  ...reservedPaths,
];
