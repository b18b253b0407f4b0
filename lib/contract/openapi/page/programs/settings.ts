import type { Destination } from "../../../../domain/destination.ts";

type Variables = Readonly<Record<string, string>>;

interface Settings {
  readonly variables: (destination: Destination) => Variables;
  /** Sentences on what is not supported. */
  readonly limits: string;
}

const headers = ({ apiKey, projectName }: Destination): string => `X-API-Key=${apiKey},X-Project-Name=${projectName}`;

/** Environment variables of each kind of program, and what of its vendor's service does not exist here. */
export const programSettings = {
  otlp: {
    variables: (destination) => ({
      OTEL_EXPORTER_OTLP_ENDPOINT: destination.serviceUrl,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
      OTEL_EXPORTER_OTLP_HEADERS: headers(destination),
    }),
    limits:
      "Not supported: gRPC (set `http/protobuf` or `http/json`). Metrics are accepted and not stored; of logs, only events of model " +
      "calls are stored.",
  },
  mlflow: {
    variables: (destination) => ({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${destination.serviceUrl}/v1/traces`,
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: headers(destination),
    }),
    limits:
      "Not supported: MLflow's tracking server (runs, models, prompts, evaluation datasets). MLflow sends there or here.",
  },
  langfuse: {
    variables: ({ serviceUrl, apiKey, projectName }) => ({
      LANGFUSE_BASE_URL: serviceUrl,
      LANGFUSE_PUBLIC_KEY: projectName,
      LANGFUSE_SECRET_KEY: apiKey,
    }),
    limits: "Not supported: prompt management. Datasets and experiments are. Earlier SDKs read other variables.",
  },
  langsmith: {
    variables: ({ serviceUrl, apiKey, projectName }) => ({
      LANGSMITH_TRACING: "true",
      LANGSMITH_ENDPOINT: `${serviceUrl}/langsmith`,
      LANGSMITH_API_KEY: apiKey,
      LANGSMITH_PROJECT: projectName,
    }),
    limits: "Not supported: prompts, the hub, datasets and the content of attachments.",
  },
  braintrust: {
    variables: ({ serviceUrl, apiKey, projectName }) => ({
      BRAINTRUST_API_URL: serviceUrl,
      BRAINTRUST_API_KEY: apiKey,
      BRAINTRUST_PARENT: `project_name:${projectName}`,
    }),
    limits:
      "Not supported: Braintrust's own logger (`initLogger`), prompts, datasets and `Eval`. Its span processor is.",
  },
  phoenix: {
    variables: (destination) => ({
      PHOENIX_COLLECTOR_ENDPOINT: destination.serviceUrl,
      PHOENIX_CLIENT_HEADERS: headers(destination),
    }),
    limits: "Not supported: Phoenix's client for datasets, experiments, prompts and annotations.",
  },
  traceloop: {
    variables: (destination) => ({
      TRACELOOP_BASE_URL: destination.serviceUrl,
      TRACELOOP_HEADERS: headers(destination),
    }),
    limits:
      "Not supported: prompt registry, datasets and evaluators of Traceloop. Metrics are accepted and not stored.",
  },
} as const satisfies Readonly<Record<string, Settings>>;
