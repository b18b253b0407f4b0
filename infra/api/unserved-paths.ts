import { noGrpc } from "../../lib/contract/otlp/fields.ts";

/** A path that wrongly configured clients of other products ask for, with a sentence that says what to set. */
export interface UnservedPath {
  /** Path in API Gateway's form; a parameter that ends with `+` is any rest of a path. */
  readonly path: string;
  readonly detail: string;
}

const langsmithOnly =
  "Of LangSmith's interface this service takes runs and feedback and finds projects: prompts, datasets, experiments and queries of " +
  "runs are not offered. Read traces and scores with the routes in /docs.";

const langsmithRoot =
  "This is a path of LangSmith's interface: set LANGSMITH_ENDPOINT to the URL of this service followed by /langsmith.";

const baseAddress =
  "Set OTEL_EXPORTER_OTLP_ENDPOINT to the base URL of the service: exporters add /v1/traces. Only an option `url` and " +
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT take the whole address.";

const exporterPaths: readonly UnservedPath[] = [
  ...["/v1/v1/{rest+}", "/v1/traces/{rest+}"].map((path) => ({ path, detail: baseAddress })),
  {
    path: "/api/public/otel",
    detail:
      "Send spans to /api/public/otel/v1/traces; as OTEL_EXPORTER_OTLP_ENDPOINT this address is right, as an option `url` it is not.",
  },
  ...["trace.v1.TraceService", "logs.v1.LogsService"].map((service) => ({
    path: `/opentelemetry.proto.collector.${service}/Export`,
    detail: noGrpc,
  })),
];

const noPrompts = "Langfuse's prompts are not offered here: give the SDK a fallback, or keep prompts in the program.";

const noRuns =
  "Of Langfuse's datasets this service takes datasets, items and links of traces to items: read runs as /experiments, and change or delete " +
  "items at /datasets.";

const byOpenTelemetry =
  "This is a path of Opik's or Weave's interface, which is not offered here: send traces by OpenTelemetry to /v1/traces, as the pages in " +
  "/docs show.";

const langfuseOnly =
  "Of Langfuse's interface this service takes traces, observations, scores and datasets: read them with the routes in /docs.";

/** What is offered of the interfaces of other products, by the beginning of their paths, the longest first. */
const offers: readonly (readonly [prefix: string, offer: string])[] = [
  ["/langsmith/otel/", ""],
  ["/langsmith/", ` ${langsmithOnly}`],
  ["/api/public/otel/", ""],
  ["/api/public/", ` ${langfuseOnly}`],
];

/** Returns the detail of the reply to an undefined method of a path: of other products' interfaces it says what is offered. */
export const methodDetail = (path: string): string => {
  const offer = offers.find(([prefix]) => path.startsWith(prefix))?.[1] ?? "";
  return `Method Not Allowed${offer === "" ? "" : `.${offer}`}`;
};

export const unservedPaths: readonly UnservedPath[] = [
  { path: "/api/public/v2/prompts/{rest+}", detail: noPrompts },
  ...["datasets/{rest+}", "dataset-items/{rest+}", "v2/datasets/{dataset_name}/{rest+}"].map((path) => ({
    path: `/api/public/${path}`,
    detail: noRuns,
  })),
  ...["/v1/private/{rest+}", "/api/v1/private/{rest+}", "/opik/api/{rest+}", "/call/{rest+}"].map((path) => ({
    path,
    detail: byOpenTelemetry,
  })),
  ...exporterPaths,
  ...["/api/public/v2/{rest+}", "/api/public/{rest+}"].map((path) => ({ path, detail: langfuseOnly })),
  ...["/langsmith/{rest+}", "/langsmith/runs/query"].map((path) => ({ path, detail: langsmithOnly })),
  ...["/info", "/feedback", "/runs", "/runs/{rest+}", "/commits/{rest+}", "/repos/{rest+}"].map((path) => ({
    path,
    detail: langsmithRoot,
  })),
];
