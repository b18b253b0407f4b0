// Written by `npm run client` from the table of routes.

export type Health = {
  readonly status: "healthy";
  readonly version: string;
  readonly environment: string;
  readonly timestamp: string;
};

/** One step of a trace. Absent and null both mean not given. */
export type SpanInput = {
  readonly span_id?: string | null | undefined;
  readonly parent_span_id?: string | null | undefined;
  readonly name: string;
  readonly kind?: "AGENT" | "TOOL" | "LLM" | "RETRIEVER" | "CHAIN" | "EMBEDDING" | "OTHER" | null | undefined;
  readonly status?: "UNSET" | "OK" | "ERROR" | null | undefined;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly model?: string | null | undefined;
  readonly token_usage?:
    | {
        readonly prompt_tokens?: number | null | undefined;
        readonly completion_tokens?: number | null | undefined;
      }
    | null
    | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** ISO 8601 date (midnight UTC) or date-time; seconds, their fraction and the zone (UTC) may be left out. In UTC from 0001-01-01 to 9999-12-31. */
  readonly started_at: string;
  /** ISO 8601 date (midnight UTC) or date-time; seconds, their fraction and the zone (UTC) may be left out. In UTC from 0001-01-01 to 9999-12-31. */
  readonly ended_at?: string | null | undefined;
  readonly error?: string | null | undefined;
  /** ISO 8601 date (midnight UTC) or date-time; seconds, their fraction and the zone (UTC) may be left out. In UTC from 0001-01-01 to 9999-12-31. */
  readonly completion_start_time?: string | null | undefined;
  readonly model_parameters?: Readonly<Record<string, unknown>> | null | undefined;
  readonly cost?:
    | {
        readonly total?: number | null | undefined;
      }
    | null
    | undefined;
};

/** A trace as a client sends it. Absent and null both mean not given. */
export type TraceInput = {
  readonly trace_id?: string | null | undefined;
  readonly name: string;
  readonly status?: "PENDING" | "RUNNING" | "COMPLETED" | "ERROR" | null | undefined;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** From 2000-01-01 to one day from now, unless the operator chose other bounds: 422 outside. */
  readonly started_at: string;
  /** ISO 8601 date (midnight UTC) or date-time; seconds, their fraction and the zone (UTC) may be left out. In UTC from 0001-01-01 to 9999-12-31. */
  readonly ended_at?: string | null | undefined;
  readonly session_id?: string | null | undefined;
  readonly user_id?: string | null | undefined;
  readonly environment?: string | null | undefined;
  readonly release?: string | null | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly spans?: readonly SpanInput[] | undefined;
};

/** The trace is durable. `task_id` is the request's id. */
export type TraceReceipt = {
  readonly trace_id: string;
  readonly task_id: string;
};

/** A trace without its content. */
export type TraceListItem = {
  readonly trace_id: string;
  readonly name: string;
  readonly status: "PENDING" | "RUNNING" | "COMPLETED" | "ERROR";
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly session_id: string | null;
  readonly user_id: string | null;
  readonly tags: readonly string[];
  readonly environment: string | null;
  readonly release: string | null;
  readonly total_tokens: number;
  readonly total_cost: number;
  /** Tokens of `total_tokens` that no cost is known for: neither the client nor `GET /prices` says one. */
  readonly unpriced_tokens: number;
  readonly latency_ms: number | null;
  readonly span_count: number;
  /** With `include=preview`: the first 120 characters of the input at most, on one line, data as JSON; null where it has none. */
  readonly input_preview?: string | null | undefined;
  /** With `include=scores`: the newest successful score of each name, by name. */
  readonly scores?:
    | readonly {
        readonly id: string;
        readonly name: string;
        readonly value: string | null;
        readonly data_type: "NUMERIC" | "BOOLEAN" | "CATEGORICAL";
        readonly source: "AUTOMATED" | "ANNOTATION" | "PROGRAMMATIC";
        readonly applicable: boolean | null;
        /** Id of the judge. */
        readonly judge: string | null;
        readonly eval_run_id: string | null;
        readonly created_at: string;
        readonly updated_at: string;
      }[]
    | undefined;
};

export type TraceListItemPage = {
  readonly items: readonly TraceListItem[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** What to send as `cursor` for the page behind this one; null when the list ends. `Link` has it as an address. */
  readonly next_cursor: string | null;
};

/** One thing that is wrong with a trace of a batch. `loc` is as if the trace had been sent alone. */
export type BatchViolation = {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type:
    | "missing"
    | "extra_forbidden"
    | "json_invalid"
    | "json_too_deep"
    | "json_not_finite"
    | "string_type"
    | "string_too_short"
    | "string_too_long"
    | "string_pattern_mismatch"
    | "string_unicode"
    | "bool_type"
    | "bool_parsing"
    | "int_type"
    | "int_parsing"
    | "float_type"
    | "finite_number"
    | "dict_type"
    | "list_type"
    | "too_short"
    | "too_long"
    | "too_many_keys"
    | "enum"
    | "greater_than"
    | "greater_than_equal"
    | "less_than"
    | "less_than_equal"
    | "uuid_parsing"
    | "datetime_parsing"
    | "header_invalid"
    | "idempotency_error"
    | "cadence_invalid"
    | "cursor_invalid"
    | "unknown_metric"
    | "too_many_tags"
    | "too_many_tokens"
    | "too_many_rows"
    | "too_many_targets"
    | "nothing_failed"
    | "value_error";
  readonly input?: string | number | boolean | null | undefined;
};

/** What came of one trace of a batch. At most 100 things that are wrong are named in all, and of each trace one. */
export type BatchOutcome = {
  /** Its place in the request. */
  readonly index: number;
  /** Null when it is not a trace. */
  readonly trace_id: string | null;
  /** What `POST /traces` would have answered: 202, 413, 422, or 503 when it may be sent again. */
  readonly status: number;
  readonly detail?: string | readonly BatchViolation[] | undefined;
  readonly errors?:
    | readonly {
        readonly field: string;
        readonly message: string;
      }[]
    | undefined;
};

export type BatchReceipt = {
  readonly results: readonly BatchOutcome[];
};

export type LangfuseProjects = {
  readonly data: readonly {
    readonly id: string;
    readonly name: string;
    readonly organization: {
      readonly id: string;
      readonly name: string;
    };
    readonly metadata: Readonly<Record<string, unknown>>;
  }[];
};

/** One score, or a list of them, with the fields that Langfuse's SDKs give them. */
export type LangfuseScores = Readonly<Record<string, unknown>> | readonly Readonly<Record<string, unknown>>[];

export type LangfuseScoreReceipt = {
  readonly id: string;
};

export type LangfuseScoresReceipt = {
  readonly message: "Accepted";
};

export type LangfuseScoresOutcome = {
  readonly accepted: number;
  readonly rejected: number;
  readonly errors: readonly {
    readonly message: string;
  }[];
};

/** The id of one score; of a list that all was stored, or how many were not, and why. */
export type LangfuseScoresReply = LangfuseScoreReceipt | LangfuseScoresReceipt | LangfuseScoresOutcome;

export type LangfuseIngestion = {
  readonly batch: readonly {
    readonly id: string;
    readonly type: string;
    readonly timestamp?: string | null | undefined;
    readonly body?: unknown;
  }[];
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
};

/** What became of each event, by its id. */
export type LangfuseIngestionReply = {
  readonly successes: readonly {
    readonly id: string;
    readonly status: number;
  }[];
  readonly errors: readonly {
    readonly id: string;
    readonly status: number;
    readonly message: string;
    readonly error: string;
  }[];
};

/** The traces of one user, summed up. */
export type UserSummary = {
  readonly user_id: string;
  readonly trace_count: number;
  /** When the first of the user's traces started. */
  readonly first_seen: string;
  /** When the last of the user's traces started. */
  readonly last_seen: string;
  readonly error_count: number;
  /** Of the traces that ended; null when none has. */
  readonly total_latency_ms: number | null;
  readonly total_tokens: number;
  readonly total_cost: number;
  /** Tokens of `total_tokens` that no cost is known for. */
  readonly unpriced_tokens: number;
};

export type UserSummaryPage = {
  readonly items: readonly UserSummary[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** What to send as `cursor` for the page behind this one; null when the list ends. `Link` has it as an address. */
  readonly next_cursor: string | null;
};

/** Traces that started in a bucket; latencies of those that have ended, null when there is none. */
export type TraceBucket = {
  readonly bucket: string;
  readonly trace_count: number;
  readonly error_count: number;
  readonly avg_latency_ms: number | null;
  readonly p50_latency_ms: number | null;
  readonly p90_latency_ms: number | null;
  readonly p99_latency_ms: number | null;
};

/** What the spans that started in a bucket used. */
export type UsageBucket = {
  readonly bucket: string;
  readonly total_tokens: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_cost: number;
};

/** What the spans of a model used. */
export type ModelUsage = {
  readonly model: string;
  readonly call_count: number;
  readonly total_tokens: number;
  readonly total_cost: number;
};

/** One step of a trace. */
export type Span = {
  readonly span_id: string;
  readonly trace_id: string;
  readonly parent_span_id: string | null;
  readonly name: string;
  readonly kind: "AGENT" | "TOOL" | "LLM" | "RETRIEVER" | "CHAIN" | "EMBEDDING" | "OTHER";
  readonly status: "UNSET" | "OK" | "ERROR";
  readonly input: unknown;
  readonly output: unknown;
  readonly model: string | null;
  readonly token_usage: Readonly<Record<string, unknown>> | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly error: string | null;
  readonly completion_start_time: string | null;
  readonly model_parameters: Readonly<Record<string, unknown>> | null;
  /** US dollars. What the client said; else, of a model in `GET /prices`, `input`, `output`, `total` and `source: "price_list"`. */
  readonly cost: Readonly<Record<string, unknown>> | null;
  readonly latency_ms: number | null;
  readonly time_to_first_token_ms: number | null;
};

/** A trace with its spans, by start. */
export type Trace = {
  readonly trace_id: string;
  readonly name: string;
  readonly status: "PENDING" | "RUNNING" | "COMPLETED" | "ERROR";
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly session_id: string | null;
  readonly user_id: string | null;
  readonly tags: readonly string[];
  readonly environment: string | null;
  readonly release: string | null;
  readonly total_tokens: number;
  readonly total_cost: number;
  /** Tokens of `total_tokens` that no cost is known for: neither the client nor `GET /prices` says one. */
  readonly unpriced_tokens: number;
  readonly project_id: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spans: readonly Span[];
};

/** What changes of a trace. Absent leaves a field as it is. Null clears it; `name`, `status`, `tags` and `metadata` it leaves as they are. `metadata` merges by key, every other field is replaced. */
export type TraceUpdate = {
  readonly name?: string | null | undefined;
  readonly status?: "PENDING" | "RUNNING" | "COMPLETED" | "ERROR" | null | undefined;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  /** ISO 8601 date (midnight UTC) or date-time; seconds, their fraction and the zone (UTC) may be left out. In UTC from 0001-01-01 to 9999-12-31. */
  readonly ended_at?: string | null | undefined;
  readonly session_id?: string | null | undefined;
  readonly user_id?: string | null | undefined;
  readonly tags?: readonly string[] | null | undefined;
  readonly environment?: string | null | undefined;
  readonly release?: string | null | undefined;
};

/** What changes of a span. Absent leaves a field as it is. Null clears it; `name`, `kind`, `status` and `metadata` it leaves as they are. `metadata` merges by key, every other field is replaced. */
export type SpanUpdate = {
  readonly name?: string | null | undefined;
  readonly kind?: "AGENT" | "TOOL" | "LLM" | "RETRIEVER" | "CHAIN" | "EMBEDDING" | "OTHER" | null | undefined;
  readonly status?: "UNSET" | "OK" | "ERROR" | null | undefined;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly model?: string | null | undefined;
  readonly token_usage?:
    | {
        readonly prompt_tokens?: number | null | undefined;
        readonly completion_tokens?: number | null | undefined;
      }
    | null
    | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  /** ISO 8601 date (midnight UTC) or date-time; seconds, their fraction and the zone (UTC) may be left out. In UTC from 0001-01-01 to 9999-12-31. */
  readonly ended_at?: string | null | undefined;
  readonly error?: string | null | undefined;
  /** ISO 8601 date (midnight UTC) or date-time; seconds, their fraction and the zone (UTC) may be left out. In UTC from 0001-01-01 to 9999-12-31. */
  readonly completion_start_time?: string | null | undefined;
  readonly model_parameters?: Readonly<Record<string, unknown>> | null | undefined;
  readonly cost?:
    | {
        readonly total?: number | null | undefined;
      }
    | null
    | undefined;
};

/** The ids of the spans, in the order in which they were sent. */
export type SpanReceipt = {
  readonly span_ids: readonly string[];
};

/** How many of the traces were found; none is looked for when there is nothing to add or remove. */
export type Updated = {
  readonly updated: number;
};

/** How many traces this request deleted. */
export type Deleted = {
  readonly deleted: number;
};

/** What the tokens of a model cost. */
export type ModelPrice = {
  /** The name that spans have for the model, in any case; in the operator's list `*` stands for any characters. */
  readonly model: string;
  /** Whose price it is. The operator's takes the place of the service's from its date on. */
  readonly list: "operator" | "service";
  /** When it begins to hold, of the start of a span; null: always. */
  readonly from: string | null;
  /** US dollars per million prompt tokens that are neither read from a cache nor written to it. */
  readonly input: number;
  /** US dollars per million completion tokens. */
  readonly output: number;
  /** US dollars per million prompt tokens read from a cache. */
  readonly cached: number;
  /** US dollars per million prompt tokens written to a cache. */
  readonly written: number;
  /** US dollars per million completion tokens that the model thought in. */
  readonly reasoning: number;
  /** Where it was read. */
  readonly source: string | null;
  /** The day on which it was read, `YYYY-MM-DD`. */
  readonly read_on: string | null;
};

export type ModelPricePage = {
  readonly items: readonly ModelPrice[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** What to send as `cursor` for the page behind this one; null when the list ends. `Link` has it as an address. */
  readonly next_cursor: string | null;
};

/** The traces with one session id, summed up. */
export type SessionSummary = {
  readonly session_id: string;
  readonly trace_count: number;
  /** When the first of its traces started. */
  readonly first_trace_at: string;
  /** When the last of its traces ended; null when none has. */
  readonly last_trace_at: string | null;
  /** Of the traces that ended; null when none has. */
  readonly total_latency_ms: number | null;
  readonly has_error: boolean;
  /** Of the trace that started first among those that have one. */
  readonly user_id: string | null;
  readonly tags: readonly string[];
  readonly total_span_count: number;
  readonly total_tokens: number;
  readonly total_cost: number;
  /** Tokens of `total_tokens` that no cost is known for. */
  readonly unpriced_tokens: number;
  /** With `include=scores`: the newest successful score of each name, by name. */
  readonly scores?:
    | readonly {
        readonly id: string;
        readonly name: string;
        readonly value: string | null;
        readonly data_type: "NUMERIC" | "BOOLEAN" | "CATEGORICAL";
        readonly source: "AUTOMATED" | "ANNOTATION" | "PROGRAMMATIC";
        readonly applicable: boolean | null;
        /** Id of the judge. */
        readonly judge: string | null;
        readonly eval_run_id: string | null;
        readonly created_at: string;
        readonly updated_at: string;
      }[]
    | undefined;
};

export type SessionSummaryPage = {
  readonly items: readonly SessionSummary[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** What to send as `cursor` for the page behind this one; null when the list ends. `Link` has it as an address. */
  readonly next_cursor: string | null;
};

/** Sessions by the first of their traces in the range; a session's duration is the sum of its traces' latencies. */
export type SessionBucket = {
  readonly bucket: string;
  readonly session_count: number;
  readonly avg_traces_per_session: number;
  readonly avg_session_duration_ms: number | null;
};

/** All traces of a session summed up, and some of them with their spans, by start. */
export type SessionDetail = {
  readonly session_id: string;
  readonly trace_count: number;
  /** When the first of its traces started. */
  readonly first_trace_at: string;
  /** When the last of its traces ended; null when none has. */
  readonly last_trace_at: string | null;
  /** Of the traces that ended; null when none has. */
  readonly total_latency_ms: number | null;
  readonly has_error: boolean;
  /** Of the trace that started first among those that have one. */
  readonly user_id: string | null;
  readonly tags: readonly string[];
  readonly total_span_count: number;
  readonly total_tokens: number;
  readonly total_cost: number;
  /** Tokens of `total_tokens` that no cost is known for. */
  readonly unpriced_tokens: number;
  /** What to send as `cursor` for the page behind this one; null when the list ends. `Link` has it as an address. */
  readonly next_cursor: string | null;
  readonly traces: readonly Trace[];
};

export type Metric = {
  readonly name: string;
  readonly description: string;
  readonly category: string;
  /** The newest, of a metric of the project's own; absent of others. */
  readonly version?: number | undefined;
};

export type SessionMetric = {
  readonly name: string;
  readonly description: string;
  readonly category: string;
  /** The newest, of a metric of the project's own; absent of others. */
  readonly version?: number | undefined;
};

export type Provider = {
  /** What stands before the slash in a model's name. */
  readonly key: string;
  readonly name: string;
  readonly description: string;
  /** Whether it is configured in this deployment. It is not called to find out. */
  readonly available: boolean;
  /** That it is available, or what to configure. */
  readonly message: string;
};

export type Budget = {
  /** What judging may cost in the month. */
  readonly ceiling_usd: number;
  /** What judging has cost. */
  readonly spent_usd: number;
  /** What is set aside for judgements that go on: what they do not cost is given back. */
  readonly reserved_usd: number;
  /** What is neither spent nor set aside; 0 when the ceiling is passed. */
  readonly left_usd: number;
  /** What is spent and set aside of the ceiling, whole percent, rounded down; judging that cost more than was reckoned passes 100. */
  readonly used_percent: number;
};

export type DeploymentBudget = {
  /** What is spent and set aside of the ceiling, whole percent, rounded down; judging that cost more than was reckoned passes 100. */
  readonly used_percent: number;
};

export type Spend = {
  readonly currency: "USD";
  readonly period: "month";
  /** The first moment of the calendar month, UTC. */
  readonly period_start: string;
  /** The first moment of the next: then nothing is used of any ceiling. */
  readonly period_end: string;
  /** Of the ceiling of each project; null without one. */
  readonly project: Budget | null;
  /** Of the ceiling of each organization, all projects of this one's together; null without one. */
  readonly organization: Budget | null;
  /** Of the ceiling of the whole deployment, whose amounts are its operator's; null without one. */
  readonly deployment: DeploymentBudget | null;
};

export type EvalRunTemplate = {
  readonly metric: {
    readonly name: string;
    readonly description: string;
    readonly category: string;
    readonly default_threshold: number;
    /** What the judge is asked, in order, with placeholders for a trace; empty when none is asked. */
    readonly prompt_preview: readonly {
      readonly stage: string;
      readonly prompt: string;
    }[];
    /** How a score follows from what the judge answers; null when none is asked. */
    readonly rubric: {
      readonly levels: readonly {
        readonly name: string;
        readonly meaning: string;
        readonly value: number;
      }[];
      /** What the judge answers with yes, no or that it cannot tell, and what the answers mean. */
      readonly statements: readonly {
        readonly name: string;
        readonly text: string;
        readonly yes: string;
        readonly no: string;
      }[];
      /** The first line that holds gives the level. */
      readonly rule: readonly {
        readonly level: string;
        /** By the name of a statement: yes or no. */
        readonly answers: Readonly<Record<string, string>>;
        /** How many of the answers have to be given. */
        readonly least: number;
      }[];
      /** The level where no line holds. */
      readonly otherwise: string;
    } | null;
  };
  /** Every filter, none of them set: each is null. */
  readonly filters: {
    /** Started then or later. */
    readonly date_from: string | null;
    /** Started before then. */
    readonly date_to: string | null;
    readonly status: "PENDING" | "RUNNING" | "COMPLETED" | "ERROR" | null;
    readonly session_id: string | null;
    readonly user_id: string | null;
    /** Any of these. */
    readonly tags: readonly string[] | null;
    /** Part of the name, in any case. */
    readonly name: string | null;
    /** Whether the trace has the status ERROR, or one of its spans failed. */
    readonly has_error: boolean | null;
    /** Milliseconds, inclusive; of what has ended. */
    readonly min_latency_ms: number | null;
    /** Milliseconds, inclusive; of what has ended. */
    readonly max_latency_ms: number | null;
    /** Dollars of all its spans, inclusive. */
    readonly min_cost: number | null;
    /** Dollars of all its spans, inclusive. */
    readonly max_cost: number | null;
    /** Prompt and completion tokens of all its spans, inclusive. */
    readonly min_tokens: number | null;
    /** Prompt and completion tokens of all its spans, inclusive. */
    readonly max_tokens: number | null;
    /** A model that one of its spans names, exactly: one of the trace's first 16 and of the project's first 1,000. */
    readonly model: string | null;
    /** The name of a span of the kind TOOL, exactly: one of the trace's first 32 and of the project's first 1,000. */
    readonly tool: string | null;
    /** The release, exactly. */
    readonly release: string | null;
    /** The environment, exactly. */
    readonly environment: string | null;
    /** Whether it names a session. */
    readonly has_session: boolean | null;
    /** Values of keys that the project declares in `metadata_keys`, each exactly; what is no text as its JSON. */
    readonly metadata: Readonly<Record<string, string>> | null;
    /** All of them hold. `<name><operator><value>` with `<`, `<=`, `>`, `>=`, `=` or `!=`, such as `task_completion<0.5` or `helpful=true`: what the newest successful score of that name has to meet. Numbers are compared as numbers, anything else is equal or not; what has no such score, or one that does not apply, meets nothing. */
    readonly score: readonly string[] | null;
    /** Of each of these names there is no score that succeeded. */
    readonly no_score: readonly string[] | null;
  };
  readonly sampling_rate: number;
  /** The judge of a run that names none. */
  readonly model: string;
};

/** What selects traces; all of it must match. Null means not set, an empty object matches everything. */
export type TraceFilters = {
  /** Started then or later. */
  readonly date_from?: string | null | undefined;
  /** Started before then. */
  readonly date_to?: string | null | undefined;
  readonly status?: "PENDING" | "RUNNING" | "COMPLETED" | "ERROR" | null | undefined;
  readonly session_id?: string | null | undefined;
  readonly user_id?: string | null | undefined;
  /** Any of these. */
  readonly tags?: readonly string[] | null | undefined;
  /** Part of the name, in any case. */
  readonly name?: string | null | undefined;
  /** Whether the trace has the status ERROR, or one of its spans failed. */
  readonly has_error?: boolean | null | undefined;
  /** Milliseconds, inclusive; of what has ended. */
  readonly min_latency_ms?: number | null | undefined;
  /** Milliseconds, inclusive; of what has ended. */
  readonly max_latency_ms?: number | null | undefined;
  /** Dollars of all its spans, inclusive. */
  readonly min_cost?: number | null | undefined;
  /** Dollars of all its spans, inclusive. */
  readonly max_cost?: number | null | undefined;
  /** Prompt and completion tokens of all its spans, inclusive. */
  readonly min_tokens?: number | null | undefined;
  /** Prompt and completion tokens of all its spans, inclusive. */
  readonly max_tokens?: number | null | undefined;
  /** A model that one of its spans names, exactly: one of the trace's first 16 and of the project's first 1,000. */
  readonly model?: string | null | undefined;
  /** The name of a span of the kind TOOL, exactly: one of the trace's first 32 and of the project's first 1,000. */
  readonly tool?: string | null | undefined;
  /** The release, exactly. */
  readonly release?: string | null | undefined;
  /** The environment, exactly. */
  readonly environment?: string | null | undefined;
  /** Whether it names a session. */
  readonly has_session?: boolean | null | undefined;
  /** Values of keys that the project declares in `metadata_keys`, each exactly; what is no text as its JSON. */
  readonly metadata?: Readonly<Record<string, string>> | null | undefined;
  /** All of them hold. `<name><operator><value>` with `<`, `<=`, `>`, `>=`, `=` or `!=`, such as `task_completion<0.5` or `helpful=true`: what the newest successful score of that name has to meet. Numbers are compared as numbers, anything else is equal or not; what has no such score, or one that does not apply, meets nothing. */
  readonly score?: readonly string[] | null | undefined;
  /** Of each of these names there is no score that succeeded. */
  readonly no_score?: readonly string[] | null | undefined;
  /** The same as `date_from`, which wins where both are given. */
  readonly started_after?: string | null | undefined;
  /** The same as `date_to`, which wins where both are given. */
  readonly started_before?: string | null | undefined;
};

export type EvalRunInput = {
  readonly name?: string | null | undefined;
  /** Names from the list of metrics; each is evaluated once. */
  readonly metrics: readonly string[];
  readonly filters?: TraceFilters | undefined;
  /** Share of the matching targets that is evaluated, chosen at random. Default 1. */
  readonly sampling_rate?: number | undefined;
  /** The judge, as <provider>/<model>; null means the service's default. */
  readonly model?: string | null | undefined;
  /** US dollars that the run's judging may cost, embeddings included; null means no ceiling. It is not passed: before a judgement begins, all that it can cost is set aside (a token for each byte of its prompts, the limit of tokens that its answers are given, every question asked twice, at this deployment's prices), and what it has not cost is given back. Where what is left does not cover that, judgements wait for each other, then their answers are given fewer tokens, then they are asked once, and at last the run ends and says so: what was scored stays, the rest can be retried. So a run of answered judgements completes under a ceiling of what they cost and once more the most that the dearest of them, asked once, can cost: a token for each byte of its prompts, schemas among them as texts, and 600 more for each, 2,000 where something is extracted first, 50,000 for each picture, none of them from a cache, and an answer half as long again as such answers were and 128 tokens (1,024 where none is known). They cost more where that is too little: an answer that is cut is paid and asked for again, and so may be an extraction of which more than 2,000 bytes are shown. What fifty like judgements leave that cost 70 % of it are 21 more: enough, unless most of a long prompt comes from a cache at a small part of its price, pictures come to a small part of 50,000 tokens, or answers have fewer than 50. A call whose usage the provider did not tell counts as all that it can have cost. It holds as far as providers tell their usage truly and keep to the limit of tokens; not counted are calls of a worker that died before it stored what came of them. A model whose price is not known cannot be used with it. */
  readonly max_cost_usd?: number | null | undefined;
  /** `flex` has the judge answer when its provider has room, for half the price, where the provider sells that (OpenAI's GPT-5 and later, o3 and o4-mini); what is refused there is asked at the standard tier at once, and a score says at which it was made. Null means the service's default. */
  readonly tier?: "standard" | "flex" | null | undefined;
};

/** What its judge calls used so far. */
export type JudgeUsage = {
  readonly calls: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  /** Prompt tokens that came from the provider's cache. */
  readonly cached_tokens: number;
  /** Null when the price of any of it is not known. */
  readonly cost_usd: number | null;
};

/** An evaluation of targets with metrics. It is PENDING, then RUNNING, and ends COMPLETED or FAILED. */
export type EvalRun = {
  readonly id: string;
  readonly project_id: string;
  readonly name: string | null;
  readonly status: "PENDING" | "RUNNING" | "COMPLETED" | "FAILED";
  readonly target_type: "TRACE" | "SESSION";
  readonly metric_names: readonly string[];
  /** As sent, dates too; `started_after` and `started_before` stand under their `date_` names. Empty of a run of listed targets, and of a retry. */
  readonly filters: Readonly<Record<string, unknown>>;
  readonly sampling_rate: number;
  readonly model: string | null;
  /** The judge that is really used. */
  readonly resolved_model: string;
  readonly monitor_id: string | null;
  /** The run whose failed pairs this one evaluates again. */
  readonly retry_of: string | null;
  readonly max_cost_usd: number | null;
  /** At which its judge is asked first. */
  readonly tier: "standard" | "flex";
  readonly total_traces: number;
  readonly total_targets: number;
  /** Targets that are done with, failed and missing ones included. */
  readonly evaluated_count: number;
  /** Pairs of a target and a metric that got no successful score. */
  readonly failed_count: number;
  readonly judge_usage: JudgeUsage;
  /** What keeps the run from going on at the moment: a provider that is away, or a ceiling of cost. */
  readonly waiting_for: string | null;
  readonly error_message: string | null;
  readonly created_at: string;
  readonly completed_at: string | null;
};

/** What a run would come to, estimated. Nothing is made and no judge is called. */
export type RunEstimate = {
  /** Exact: after sampling. */
  readonly targets: number;
  /** Calls if none is repeated: those of the metrics, and once a target what several of them need. */
  readonly judge_calls: number;
  /** Some 1,100 a call, and the documents of up to 20 targets as a judge is shown them, their tokens reckoned by script: 3.3 characters a token of Latin text, 1.6 of Chinese, 1.4 of kana, 2.1 of base64. Corrected by what the newest judgements of each metric by this model really took. The provider's cache is not counted on. */
  readonly prompt_tokens: number;
  /** 600 a call, corrected likewise. */
  readonly completion_tokens: number;
  /** Of these tokens, without embeddings; null when the model's price is not known. */
  readonly cost_usd: number | null;
  /** What a ceiling sets aside for the dearest of these judgements until its cost is known, and no estimate: a token for each byte of its prompts, its answers' limit of tokens, each question asked twice. With a `max_cost_usd` of `cost_usd` and this once more nothing is held back. */
  readonly set_aside_usd: number | null;
  /** What has to be left of a ceiling for the dearest of these judgements to begin: each question asked once, with a short answer. What is left below that ends the run. */
  readonly least_usd: number | null;
};

export type EvalRunPage = {
  readonly items: readonly EvalRun[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** What to send as `cursor` for the page behind this one; null when the list ends. `Link` has it as an address. */
  readonly next_cursor: string | null;
};

export type BatchEvalRunInput = {
  /** Each is evaluated once; at most 10,000 different ones, unless the operator has set another number. */
  readonly trace_ids: readonly string[];
  /** Names from the list of metrics; each is evaluated once. */
  readonly metrics: readonly string[];
  readonly name?: string | null | undefined;
  /** The judge, as <provider>/<model>; null means the service's default. */
  readonly model?: string | null | undefined;
  /** US dollars that the run's judging may cost, embeddings included; null means no ceiling. It is not passed: before a judgement begins, all that it can cost is set aside (a token for each byte of its prompts, the limit of tokens that its answers are given, every question asked twice, at this deployment's prices), and what it has not cost is given back. Where what is left does not cover that, judgements wait for each other, then their answers are given fewer tokens, then they are asked once, and at last the run ends and says so: what was scored stays, the rest can be retried. So a run of answered judgements completes under a ceiling of what they cost and once more the most that the dearest of them, asked once, can cost: a token for each byte of its prompts, schemas among them as texts, and 600 more for each, 2,000 where something is extracted first, 50,000 for each picture, none of them from a cache, and an answer half as long again as such answers were and 128 tokens (1,024 where none is known). They cost more where that is too little: an answer that is cut is paid and asked for again, and so may be an extraction of which more than 2,000 bytes are shown. What fifty like judgements leave that cost 70 % of it are 21 more: enough, unless most of a long prompt comes from a cache at a small part of its price, pictures come to a small part of 50,000 tokens, or answers have fewer than 50. A call whose usage the provider did not tell counts as all that it can have cost. It holds as far as providers tell their usage truly and keep to the limit of tokens; not counted are calls of a worker that died before it stored what came of them. A model whose price is not known cannot be used with it. */
  readonly max_cost_usd?: number | null | undefined;
  /** `flex` has the judge answer when its provider has room, for half the price, where the provider sells that (OpenAI's GPT-5 and later, o3 and o4-mini); what is refused there is asked at the standard tier at once, and a score says at which it was made. Null means the service's default. */
  readonly tier?: "standard" | "flex" | null | undefined;
};

/** A target of a run with what has become of each of its metrics. */
export type RunTarget = {
  /** Of a trace or of a session. */
  readonly target_id: string;
  /** `waiting` for a judge; `judging`: a worker has it; `settled`: every metric has a score, be it one that somebody has edited since; `failed`: every metric is done with and one at least got no score; `not_found`: it is not there any more. */
  readonly state: "waiting" | "judging" | "settled" | "failed" | "not_found";
  readonly metrics: readonly {
    readonly name: string;
    readonly state: "waiting" | "judging" | "settled" | "failed" | "not_found";
    /** Code of the reason for which it failed: that of its FAILED score, `target_not_found`, or `run_failed` when the run could not be judged at all; null otherwise. */
    readonly reason: string | null;
  }[];
  /** Whether the target has changed since it was judged, by the first of its metrics that has a score; null where none has, and where it is not known. */
  readonly stale: boolean | null;
  /** How often a worker has taken up the part of the run that the target is in. */
  readonly attempts: number;
  /** What a `waiting` target waits for beside a worker: a provider that is away, a ceiling of cost; null otherwise. */
  readonly waiting_for: string | null;
};

export type RunTargetPage = {
  readonly items: readonly RunTarget[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** What to send as `cursor` for the page behind this one; null when the list ends. `Link` has it as an address. */
  readonly next_cursor: string | null;
};

/** A judgement of one trace under one name. */
export type TraceScore = {
  readonly id: string;
  readonly trace_id: string;
  readonly project_id: string;
  /** Scores with the same `id` come from the same question, put to the same model. A session's metrics are arithmetic: the provider is `assay`. Null of people and programs. */
  readonly judge: {
    readonly id: string;
    readonly provider: string | null;
    readonly model: string;
    /** A fingerprint of everything but the model and the trace that the score rests on: the words of the question, how much of a trace is shown, temperature and effort, embeddings. */
    readonly version: string;
  } | null;
  /** False: the metric does not apply here, the value is the one that clients expect, and no statistic counts it. Null where judging failed, and of scores that a version before has stored, as all fields here are. */
  readonly applicable: boolean | null;
  /** Why it does not apply: `no_tool_calls` (the trace calls no tool), `no_retrieved_documents` (the trace retrieves no documents), `no_plan` (the record states no plan), `no_embedding_model` (no embedding model is configured beside the judge's), `empty_input_or_output` (the input or the output is empty), `empty_output` (the output is empty), `no_session_context` (the session has no earlier trace), `no_previous_outputs` (the session's earlier traces have no output). There may be more. */
  readonly inapplicable_code: string | null;
  /** What the judge or a program had said before the score was edited for the first time, and when. */
  readonly original: {
    readonly value: string | null;
    readonly reason: string | null;
    readonly status: "SUCCESS" | "FAILED" | "PENDING";
    readonly source: "AUTOMATED" | "ANNOTATION" | "PROGRAMMATIC";
    readonly applicable: boolean | null;
    /** Id of the judge, `<provider>/<model>#<version>`; null where it was none of the service's. */
    readonly judge: string | null;
    /** As its metadata said. */
    readonly success: boolean | null;
    readonly at: string;
  } | null;
  /** What the judge cites, as far as it stands in the record it was shown: a quotation of at most 300 characters and the span that has it (null: the trace's own fields), or a span alone. At most ten. Null where no record was shown. */
  readonly evidence:
    | readonly {
        readonly span_id: string | null;
        readonly quote: string | null;
      }[]
    | null;
  /** How many citations the record does not have. */
  readonly evidence_dropped: number | null;
  /** True: what was judged has changed since, or is not there any more; changes of tags are none. It may lag by moments. Null where it is not known what was judged, as of scores that a version before has stored, and of sessions of a list that have more than 10,000 traces together. */
  readonly stale: boolean | null;
  readonly name: string;
  /** Null when judging failed. */
  readonly value: string | null;
  readonly data_type: "NUMERIC" | "BOOLEAN" | "CATEGORICAL";
  readonly status: "SUCCESS" | "FAILED" | "PENDING";
  /** Who judged: the service's judge, a person, or a program outside the service. */
  readonly source: "AUTOMATED" | "ANNOTATION" | "PROGRAMMATIC";
  readonly reason: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly eval_run_id: string | null;
  /** The user who made or last edited it with a bearer token; null with an API key. */
  readonly author_user_id: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  /** The trace's. */
  readonly environment: string | null;
  readonly config_id: string | null;
  /** The span that it is about; null: the whole trace. */
  readonly span_id: string | null;
  /** Which version of the trace was judged. */
  readonly trace_version: number | null;
};

export type TraceScorePage = {
  readonly items: readonly TraceScore[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** What to send as `cursor` for the page behind this one; null when the list ends. `Link` has it as an address. */
  readonly next_cursor: string | null;
};

/** What selects sessions, by those of their traces that match; all of it must match. Null means not set, an empty object matches everything. A session that is selected is evaluated with all of its traces. */
export type SessionFilters = {
  /** Started then or later. */
  readonly date_from?: string | null | undefined;
  /** Started before then. */
  readonly date_to?: string | null | undefined;
  readonly user_id?: string | null | undefined;
  /** Any of these. */
  readonly tags?: readonly string[] | null | undefined;
  /** Whether one of the session's matching traces has the status ERROR. */
  readonly has_error?: boolean | null | undefined;
  /** Sessions with so many matching traces or more. */
  readonly min_trace_count?: number | null | undefined;
  /** Milliseconds, inclusive; of what has ended. */
  readonly min_latency_ms?: number | null | undefined;
  /** Milliseconds, inclusive; of what has ended. */
  readonly max_latency_ms?: number | null | undefined;
  /** Dollars of all its spans, inclusive. */
  readonly min_cost?: number | null | undefined;
  /** Dollars of all its spans, inclusive. */
  readonly max_cost?: number | null | undefined;
  /** Prompt and completion tokens of all its spans, inclusive. */
  readonly min_tokens?: number | null | undefined;
  /** Prompt and completion tokens of all its spans, inclusive. */
  readonly max_tokens?: number | null | undefined;
  /** A model that one of its spans names, exactly: one of the trace's first 16 and of the project's first 1,000. */
  readonly model?: string | null | undefined;
  /** The name of a span of the kind TOOL, exactly: one of the trace's first 32 and of the project's first 1,000. */
  readonly tool?: string | null | undefined;
  /** The release, exactly. */
  readonly release?: string | null | undefined;
  /** The environment, exactly. */
  readonly environment?: string | null | undefined;
  /** Values of keys that the project declares in `metadata_keys`, each exactly; what is no text as its JSON. */
  readonly metadata?: Readonly<Record<string, string>> | null | undefined;
  /** All of them hold. `<name><operator><value>` with `<`, `<=`, `>`, `>=`, `=` or `!=`, such as `task_completion<0.5` or `helpful=true`: what the newest successful score of that name has to meet. Numbers are compared as numbers, anything else is equal or not; what has no such score, or one that does not apply, meets nothing. */
  readonly score?: readonly string[] | null | undefined;
  /** Of each of these names there is no score that succeeded. */
  readonly no_score?: readonly string[] | null | undefined;
  /** The same as `date_from`, which wins where both are given. */
  readonly started_after?: string | null | undefined;
  /** The same as `date_to`, which wins where both are given. */
  readonly started_before?: string | null | undefined;
};

/** How much each signal counts, in place of the defaults; 0 or more. In no reply. */
export type SignalWeights = {
  readonly confidence?: number | undefined;
  readonly coherence?: number | undefined;
  readonly loop_detection?: number | undefined;
  readonly tool_correctness?: number | undefined;
};

export type SessionEvalRunInput = {
  readonly name?: string | null | undefined;
  /** Names from the list of metrics; each is evaluated once. */
  readonly metrics: readonly string[];
  readonly filters?: SessionFilters | undefined;
  /** Share of the matching targets that is evaluated, chosen at random. Default 1. */
  readonly sampling_rate?: number | undefined;
  /** The judge, as <provider>/<model>; null means the service's default. */
  readonly model?: string | null | undefined;
  readonly signal_weights?: SignalWeights | null | undefined;
  /** US dollars that the run's judging may cost, embeddings included; null means no ceiling. It is not passed: before a judgement begins, all that it can cost is set aside (a token for each byte of its prompts, the limit of tokens that its answers are given, every question asked twice, at this deployment's prices), and what it has not cost is given back. Where what is left does not cover that, judgements wait for each other, then their answers are given fewer tokens, then they are asked once, and at last the run ends and says so: what was scored stays, the rest can be retried. So a run of answered judgements completes under a ceiling of what they cost and once more the most that the dearest of them, asked once, can cost: a token for each byte of its prompts, schemas among them as texts, and 600 more for each, 2,000 where something is extracted first, 50,000 for each picture, none of them from a cache, and an answer half as long again as such answers were and 128 tokens (1,024 where none is known). They cost more where that is too little: an answer that is cut is paid and asked for again, and so may be an extraction of which more than 2,000 bytes are shown. What fifty like judgements leave that cost 70 % of it are 21 more: enough, unless most of a long prompt comes from a cache at a small part of its price, pictures come to a small part of 50,000 tokens, or answers have fewer than 50. A call whose usage the provider did not tell counts as all that it can have cost. It holds as far as providers tell their usage truly and keep to the limit of tokens; not counted are calls of a worker that died before it stored what came of them. A model whose price is not known cannot be used with it. */
  readonly max_cost_usd?: number | null | undefined;
  /** `flex` has the judge answer when its provider has room, for half the price, where the provider sells that (OpenAI's GPT-5 and later, o3 and o4-mini); what is refused there is asked at the standard tier at once, and a score says at which it was made. Null means the service's default. */
  readonly tier?: "standard" | "flex" | null | undefined;
};

export type SessionBatchEvalRunInput = {
  /** Each is evaluated once; at most 10,000 different ones, unless the operator has set another number. */
  readonly session_ids: readonly string[];
  /** Names from the list of metrics; each is evaluated once. */
  readonly metrics: readonly string[];
  readonly name?: string | null | undefined;
  /** The judge, as <provider>/<model>; null means the service's default. */
  readonly model?: string | null | undefined;
  readonly signal_weights?: SignalWeights | null | undefined;
  /** US dollars that the run's judging may cost, embeddings included; null means no ceiling. It is not passed: before a judgement begins, all that it can cost is set aside (a token for each byte of its prompts, the limit of tokens that its answers are given, every question asked twice, at this deployment's prices), and what it has not cost is given back. Where what is left does not cover that, judgements wait for each other, then their answers are given fewer tokens, then they are asked once, and at last the run ends and says so: what was scored stays, the rest can be retried. So a run of answered judgements completes under a ceiling of what they cost and once more the most that the dearest of them, asked once, can cost: a token for each byte of its prompts, schemas among them as texts, and 600 more for each, 2,000 where something is extracted first, 50,000 for each picture, none of them from a cache, and an answer half as long again as such answers were and 128 tokens (1,024 where none is known). They cost more where that is too little: an answer that is cut is paid and asked for again, and so may be an extraction of which more than 2,000 bytes are shown. What fifty like judgements leave that cost 70 % of it are 21 more: enough, unless most of a long prompt comes from a cache at a small part of its price, pictures come to a small part of 50,000 tokens, or answers have fewer than 50. A call whose usage the provider did not tell counts as all that it can have cost. It holds as far as providers tell their usage truly and keep to the limit of tokens; not counted are calls of a worker that died before it stored what came of them. A model whose price is not known cannot be used with it. */
  readonly max_cost_usd?: number | null | undefined;
  /** `flex` has the judge answer when its provider has room, for half the price, where the provider sells that (OpenAI's GPT-5 and later, o3 and o4-mini); what is refused there is asked at the standard tier at once, and a score says at which it was made. Null means the service's default. */
  readonly tier?: "standard" | "flex" | null | undefined;
};

/** A judgement of one session under one name. */
export type SessionScore = {
  readonly id: string;
  readonly session_id: string;
  readonly project_id: string;
  /** Scores with the same `id` come from the same question, put to the same model. A session's metrics are arithmetic: the provider is `assay`. Null of people and programs. */
  readonly judge: {
    readonly id: string;
    readonly provider: string | null;
    readonly model: string;
    /** A fingerprint of everything but the model and the trace that the score rests on: the words of the question, how much of a trace is shown, temperature and effort, embeddings. */
    readonly version: string;
  } | null;
  /** False: the metric does not apply here, the value is the one that clients expect, and no statistic counts it. Null where judging failed, and of scores that a version before has stored, as all fields here are. */
  readonly applicable: boolean | null;
  /** Why it does not apply: `no_tool_calls` (the trace calls no tool), `no_retrieved_documents` (the trace retrieves no documents), `no_plan` (the record states no plan), `no_embedding_model` (no embedding model is configured beside the judge's), `empty_input_or_output` (the input or the output is empty), `empty_output` (the output is empty), `no_session_context` (the session has no earlier trace), `no_previous_outputs` (the session's earlier traces have no output). There may be more. */
  readonly inapplicable_code: string | null;
  /** What the judge or a program had said before the score was edited for the first time, and when. */
  readonly original: {
    readonly value: string | null;
    readonly reason: string | null;
    readonly status: "SUCCESS" | "FAILED" | "PENDING";
    readonly source: "AUTOMATED" | "ANNOTATION" | "PROGRAMMATIC";
    readonly applicable: boolean | null;
    /** Id of the judge, `<provider>/<model>#<version>`; null where it was none of the service's. */
    readonly judge: string | null;
    /** As its metadata said. */
    readonly success: boolean | null;
    readonly at: string;
  } | null;
  /** What the judge cites, as far as it stands in the record it was shown: a quotation of at most 300 characters and the span that has it (null: the trace's own fields), or a span alone. At most ten. Null where no record was shown. */
  readonly evidence:
    | readonly {
        readonly span_id: string | null;
        readonly quote: string | null;
      }[]
    | null;
  /** How many citations the record does not have. */
  readonly evidence_dropped: number | null;
  /** True: what was judged has changed since, or is not there any more; changes of tags are none. It may lag by moments. Null where it is not known what was judged, as of scores that a version before has stored, and of sessions of a list that have more than 10,000 traces together. */
  readonly stale: boolean | null;
  readonly name: string;
  /** Null when judging failed. */
  readonly value: string | null;
  readonly data_type: "NUMERIC" | "BOOLEAN" | "CATEGORICAL";
  readonly status: "SUCCESS" | "FAILED" | "PENDING";
  /** Who judged: the service's judge, a person, or a program outside the service. */
  readonly source: "AUTOMATED" | "ANNOTATION" | "PROGRAMMATIC";
  readonly reason: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly eval_run_id: string | null;
  /** The user who made or last edited it with a bearer token; null with an API key. */
  readonly author_user_id: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  /** How many traces were judged, and a fingerprint of them and their versions. */
  readonly session_version: string | null;
  /** The scores of its traces that it rests on: of the traces as they were then and, where the run named a model, by that model; what people said counts whatever they saw. Of a long session those of the traces that `per_trace_signals` shows; of a fold all that were folded. Null of people and programs, and of what could not be scored. */
  readonly signals:
    | readonly {
        readonly trace_id: string;
        readonly trace_version: number | null;
        readonly name: string;
        readonly value: number;
        readonly score_id: string;
        readonly source: "AUTOMATED" | "ANNOTATION" | "PROGRAMMATIC";
        /** The judge's `id`; null of people and programs. */
        readonly judge: string | null;
        readonly model: string | null;
        readonly prompt_version: string | null;
      }[]
    | null;
};

export type SessionScorePage = {
  readonly items: readonly SessionScore[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** What to send as `cursor` for the page behind this one; null when the list ends. `Link` has it as an address. */
  readonly next_cursor: string | null;
};

export type TraceScoreInput = {
  readonly trace_id: string;
  /** The span that it is about: one that the trace has, else 404. Null: the whole trace. */
  readonly span_id?: string | null | undefined;
  readonly name: string;
  /** NUMERIC: a decimal number. BOOLEAN: true or false, in any case. CATEGORICAL: any text. A number or a boolean counts as its text, and comes back as that. */
  readonly value: string | number | boolean;
  /** Default "NUMERIC". */
  readonly data_type?: "NUMERIC" | "BOOLEAN" | "CATEGORICAL" | undefined;
  /** Default "ANNOTATION". */
  readonly source?: "ANNOTATION" | "PROGRAMMATIC" | undefined;
  readonly reason?: string | null | undefined;
  /** Anything else about it, at most 64 KiB as JSON. */
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
};

/** Fields that are null or absent stay as they are; `metadata` is replaced whole. */
export type ScoreEdit = {
  readonly value?: string | number | boolean | null | undefined;
  readonly reason?: string | null | undefined;
  /** Anything else about it, at most 64 KiB as JSON. */
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
};

export type SessionScoreInput = {
  readonly session_id: string;
  readonly name: string;
  /** NUMERIC: a decimal number. BOOLEAN: true or false, in any case. CATEGORICAL: any text. A number or a boolean counts as its text, and comes back as that. */
  readonly value: string | number | boolean;
  /** Default "NUMERIC". */
  readonly data_type?: "NUMERIC" | "BOOLEAN" | "CATEGORICAL" | undefined;
  /** Default "ANNOTATION". */
  readonly source?: "ANNOTATION" | "PROGRAMMATIC" | undefined;
  readonly reason?: string | null | undefined;
  /** Anything else about it, at most 64 KiB as JSON. */
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
};

/** Scores of one name. The figures are of successful numeric scores, the counts of all that apply. */
export type ScoreSummary = {
  readonly metric_name: string;
  readonly avg_score: number | null;
  readonly min_score: number | null;
  readonly max_score: number | null;
  readonly median_score: number | null;
  readonly success_count: number;
  readonly failed_count: number;
  /** Scores whose metric does not apply: in none of the figures, and in no other count. */
  readonly inapplicable_count: number;
  readonly latest_score_at: string;
};

export type ScoreTrendBucket = {
  readonly bucket: string;
  readonly metric_name: string;
  readonly avg_score: number;
  /** What a tenth of the scores lie below. */
  readonly p10_score: number;
  /** What a tenth of the scores lie above. */
  readonly p90_score: number;
  readonly count: number;
  /** Scores of that time whose metric does not apply. */
  readonly inapplicable_count: number;
};

/** From its lower bound up to its upper one, which only the last of all has too. */
export type ScoreDistributionBucket = {
  readonly bucket: number;
  readonly bucket_min: number;
  readonly bucket_max: number;
  readonly count: number;
};

export type SessionScorePoint = {
  readonly metric_name: string;
  readonly score: number | null;
  readonly eval_run_id: string | null;
  readonly created_at: string;
  readonly status: "SUCCESS" | "FAILED" | "PENDING";
  /** True: what was judged has changed since, or is not there any more; changes of tags are none. It may lag by moments. Null where it is not known what was judged, as of scores that a version before has stored, and of sessions of a list that have more than 10,000 traces together. */
  readonly stale: boolean | null;
};

export type ComparedSession = {
  readonly session_id: string;
  readonly score: number | null;
  readonly evaluated_at: string;
  readonly eval_run_id: string | null;
  /** True: what was judged has changed since, or is not there any more; changes of tags are none. It may lag by moments. Null where it is not known what was judged, as of scores that a version before has stored, and of sessions of a list that have more than 10,000 traces together. */
  readonly stale: boolean | null;
};

export type ComparedSessionPage = {
  readonly items: readonly ComparedSession[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** What to send as `cursor` for the page behind this one; null when the list ends. `Link` has it as an address. */
  readonly next_cursor: string | null;
};

export type CustomMetricInput = {
  readonly name: string;
  /** Default "TRACE". */
  readonly target_type?: "TRACE" | "SESSION" | undefined;
  /** `judge`: a judge answers the statements. `check`: conditions on a trace, free of cost. `fold`: scores of a session's traces, free of cost. Default "judge". */
  readonly kind?: "judge" | "check" | "fold" | undefined;
  /** What is evaluated, in one sentence. */
  readonly description: string;
  /** What the judge has to know. It is said outside of the marks that a trace stands between, and cannot undo them. Default "". */
  readonly instructions?: string | undefined;
  /** `yes_no`, or two to seven levels, each with a label of its own, what it means, and the value it scores. Default "yes_no". */
  readonly scale?:
    | null
    | "yes_no"
    | readonly unknown[]
    | readonly {
        readonly label: string;
        readonly meaning: string;
        readonly value: number;
      }[]
    | undefined;
  /** What the judge answers with yes, no or that it cannot tell, each with evidence and a reason. Without any there is one for each level but the lowest. Default []. */
  readonly statements?:
    | readonly {
        /** `statement_1` and so on where it is absent. */
        readonly name?: string | null | undefined;
        /** One question that is answered with yes or no. */
        readonly text: string;
        /** What a yes means, as a clause. */
        readonly yes?: string | null | undefined;
        /** What a no means, as a clause. */
        readonly no?: string | null | undefined;
        /** The answer that speaks for the higher levels, where no rule is given. Default "yes". */
        readonly expected?: "yes" | "no" | undefined;
      }[]
    | undefined;
  /** What of a trace the judge is shown; all of it by default. Default ["transcript"]. */
  readonly evidence?: readonly ("transcript" | "final_answer" | "tools" | "retrieved_documents")[] | undefined;
  /** A score of at least this is a success. Default 0.5. */
  readonly threshold?: number | undefined;
  /** Default []. */
  readonly examples?:
    | readonly {
        /** What a record tells, in one or two sentences. */
        readonly record: string;
        /** How every statement is answered for it: yes, no or cannot_tell. */
        readonly answers: Readonly<Record<string, "yes" | "no" | "cannot_tell">>;
        /** Why, one sentence. Default "". */
        readonly reason?: string | undefined;
      }[]
    | undefined;
  /** The first line that holds gives the level. Without a rule it follows from how many statements are answered as expected: all of them the highest, none the lowest. */
  readonly rule?:
    | readonly {
        readonly level: string;
        /** By the name of a statement: yes or no. */
        readonly answers: Readonly<Record<string, "yes" | "no">>;
        /** How many of the answers have to be given; all of them when absent. */
        readonly least?: number | null | undefined;
      }[]
    | null
    | undefined;
  /** The level where no line holds; the lowest when absent. */
  readonly otherwise?: string | null | undefined;
  /** The condition of a check. */
  readonly check?: Readonly<Record<string, unknown>> | null | undefined;
  /** How a fold makes one score of many: `over`, the name of a score that the session's traces have; `by`, one of `min`, `mean` and `share_below` (the share of scores that are not below `below`, a number from 0 to 1). Of each of the session's newest 100 traces the newest score of the name counts that is a number from 0 to 1, applies, and was made of the trace as it is now or by a person, whoever made it and whatever model the run names; they are the session's score's `signals`. */
  readonly fold?: Readonly<Record<string, unknown>> | null | undefined;
  /** The judge, as <provider>/<model>; null means the service's default. */
  readonly model?: string | null | undefined;
};

export type CustomMetricRemark = {
  /** Where, as a path into the definition: `statements`, 0, `text`. */
  readonly field: readonly (string | number)[];
  readonly rule:
    | "scale_word"
    | "number_scale"
    | "placeholder"
    | "format"
    | "obedience"
    | "length"
    | "question"
    | "two_questions"
    | "unreachable"
    | "repeated"
    | "example";
  /** What to do about it, in a sentence or two. */
  readonly message: string;
};

export type CustomMetric = {
  readonly id: string;
  readonly project_id: string;
  readonly name: string;
  readonly target_type: "TRACE" | "SESSION";
  readonly kind: "judge" | "check" | "fold";
  readonly description: string;
  /** The version that is shown. */
  readonly version: number;
  readonly versions: readonly {
    readonly version: number;
    readonly created_at: string;
  }[];
  readonly created_at: string;
  readonly updated_at: string;
  /** Since when no new run may ask for it. */
  readonly deleted_at: string | null;
  /** What a run names to get this very version. */
  readonly reference: string;
  /** As it was sent, with its defaults. */
  readonly definition: Readonly<Record<string, unknown>>;
  /** How a score follows from what the judge answers, rule and statements that were not sent included. */
  readonly rubric: {
    readonly levels: readonly {
      readonly name: string;
      readonly meaning: string;
      readonly value: number;
    }[];
    /** What the judge answers with yes, no or that it cannot tell, and what the answers mean. */
    readonly statements: readonly {
      readonly name: string;
      readonly text: string;
      readonly yes: string;
      readonly no: string;
    }[];
    /** The first line that holds gives the level. */
    readonly rule: readonly {
      readonly level: string;
      /** By the name of a statement: yes or no. */
      readonly answers: Readonly<Record<string, string>>;
      /** How many of the answers have to be given. */
      readonly least: number;
    }[];
    /** The level where no line holds. */
    readonly otherwise: string;
  } | null;
  /** What may go wrong with it, as a linter sees it. Nothing is refused for a remark. */
  readonly remarks: readonly CustomMetricRemark[];
};

/** A metric as it would be made. Whether the project has room for one more is not looked at. */
export type CustomMetricDryRun = {
  readonly name: string;
  readonly target_type: "TRACE" | "SESSION";
  readonly kind: "judge" | "check" | "fold";
  readonly description: string;
  /** As it was sent, with its defaults. */
  readonly definition: Readonly<Record<string, unknown>>;
  /** How a score follows from what the judge answers, rule and statements that were not sent included. */
  readonly rubric: {
    readonly levels: readonly {
      readonly name: string;
      readonly meaning: string;
      readonly value: number;
    }[];
    /** What the judge answers with yes, no or that it cannot tell, and what the answers mean. */
    readonly statements: readonly {
      readonly name: string;
      readonly text: string;
      readonly yes: string;
      readonly no: string;
    }[];
    /** The first line that holds gives the level. */
    readonly rule: readonly {
      readonly level: string;
      /** By the name of a statement: yes or no. */
      readonly answers: Readonly<Record<string, string>>;
      /** How many of the answers have to be given. */
      readonly least: number;
    }[];
    /** The level where no line holds. */
    readonly otherwise: string;
  } | null;
  /** What may go wrong with it, as a linter sees it. Nothing is refused for a remark. */
  readonly remarks: readonly CustomMetricRemark[];
};

export type CustomMetricSummary = {
  readonly id: string;
  readonly project_id: string;
  readonly name: string;
  readonly target_type: "TRACE" | "SESSION";
  readonly kind: "judge" | "check" | "fold";
  readonly description: string;
  /** The newest. */
  readonly version: number;
  readonly versions: readonly {
    readonly version: number;
    readonly created_at: string;
  }[];
  readonly created_at: string;
  readonly updated_at: string;
  /** Since when no new run may ask for it. */
  readonly deleted_at: string | null;
};

export type CustomMetricSummaryPage = {
  readonly items: readonly CustomMetricSummary[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** What to send as `cursor` for the page behind this one; null when the list ends. `Link` has it as an address. */
  readonly next_cursor: string | null;
};

export type GalleryMetric = {
  readonly name: string;
  readonly target_type: "TRACE" | "SESSION";
  readonly description: string;
  /** What a copy is made of, as a metric is sent. */
  readonly definition: Readonly<Record<string, unknown>>;
};

export type GalleryMetricPage = {
  readonly items: readonly GalleryMetric[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** What to send as `cursor` for the page behind this one; null when the list ends. `Link` has it as an address. */
  readonly next_cursor: string | null;
};

export type GalleryCopyInput = {
  /** Its name in the gallery. */
  readonly metric: string;
  /** What the copy is called; as in the gallery when absent. */
  readonly name?: string | null | undefined;
};

export type CustomMetricImport = {
  /** As the other tool exports it. */
  readonly metric: Readonly<Record<string, unknown>>;
  /** What it is called here; as in the other tool when absent. */
  readonly name?: string | null | undefined;
  /** Default "TRACE". */
  readonly target_type?: "TRACE" | "SESSION" | undefined;
};

export type ImportedMetric = {
  readonly id: string;
  readonly project_id: string;
  readonly name: string;
  readonly target_type: "TRACE" | "SESSION";
  readonly kind: "judge" | "check" | "fold";
  readonly description: string;
  /** The version that is shown. */
  readonly version: number;
  readonly versions: readonly {
    readonly version: number;
    readonly created_at: string;
  }[];
  readonly created_at: string;
  readonly updated_at: string;
  /** Since when no new run may ask for it. */
  readonly deleted_at: string | null;
  /** What a run names to get this very version. */
  readonly reference: string;
  /** As it was sent, with its defaults. */
  readonly definition: Readonly<Record<string, unknown>>;
  /** How a score follows from what the judge answers, rule and statements that were not sent included. */
  readonly rubric: {
    readonly levels: readonly {
      readonly name: string;
      readonly meaning: string;
      readonly value: number;
    }[];
    /** What the judge answers with yes, no or that it cannot tell, and what the answers mean. */
    readonly statements: readonly {
      readonly name: string;
      readonly text: string;
      readonly yes: string;
      readonly no: string;
    }[];
    /** The first line that holds gives the level. */
    readonly rule: readonly {
      readonly level: string;
      /** By the name of a statement: yes or no. */
      readonly answers: Readonly<Record<string, string>>;
      /** How many of the answers have to be given. */
      readonly least: number;
    }[];
    /** The level where no line holds. */
    readonly otherwise: string;
  } | null;
  /** What may go wrong with it, as a linter sees it. Nothing is refused for a remark. */
  readonly remarks: readonly CustomMetricRemark[];
  /** What became of what the other tool's form has and this one has not, a sentence each. */
  readonly notes: readonly string[];
};

export type ImportedMetricDryRun = {
  readonly name: string;
  readonly target_type: "TRACE" | "SESSION";
  readonly kind: "judge" | "check" | "fold";
  readonly description: string;
  /** As it was sent, with its defaults. */
  readonly definition: Readonly<Record<string, unknown>>;
  /** How a score follows from what the judge answers, rule and statements that were not sent included. */
  readonly rubric: {
    readonly levels: readonly {
      readonly name: string;
      readonly meaning: string;
      readonly value: number;
    }[];
    /** What the judge answers with yes, no or that it cannot tell, and what the answers mean. */
    readonly statements: readonly {
      readonly name: string;
      readonly text: string;
      readonly yes: string;
      readonly no: string;
    }[];
    /** The first line that holds gives the level. */
    readonly rule: readonly {
      readonly level: string;
      /** By the name of a statement: yes or no. */
      readonly answers: Readonly<Record<string, string>>;
      /** How many of the answers have to be given. */
      readonly least: number;
    }[];
    /** The level where no line holds. */
    readonly otherwise: string;
  } | null;
  /** What may go wrong with it, as a linter sees it. Nothing is refused for a remark. */
  readonly remarks: readonly CustomMetricRemark[];
  /** What became of what the other tool's form has and this one has not, a sentence each. */
  readonly notes: readonly string[];
};

export type CustomMetricPreviewInput = {
  /** A metric as it is sent; it need not be stored. */
  readonly metric?: CustomMetricInput | null | undefined;
  /** In place of `metric`: one of the project's own, `name` or `name@3`. */
  readonly metric_name?: string | null | undefined;
  /** Traces of the project. */
  readonly trace_ids?: readonly string[] | null | undefined;
  /** In place of `trace_ids`: a trace as it is sent. It is not stored. */
  readonly trace?: TraceInput | null | undefined;
  /** The judge, as <provider>/<model>; null means the service's default. */
  readonly model?: string | null | undefined;
  /** US dollars that the run's judging may cost, embeddings included; null means no ceiling. It is not passed: before a judgement begins, all that it can cost is set aside (a token for each byte of its prompts, the limit of tokens that its answers are given, every question asked twice, at this deployment's prices), and what it has not cost is given back. Where what is left does not cover that, judgements wait for each other, then their answers are given fewer tokens, then they are asked once, and at last the run ends and says so: what was scored stays, the rest can be retried. So a run of answered judgements completes under a ceiling of what they cost and once more the most that the dearest of them, asked once, can cost: a token for each byte of its prompts, schemas among them as texts, and 600 more for each, 2,000 where something is extracted first, 50,000 for each picture, none of them from a cache, and an answer half as long again as such answers were and 128 tokens (1,024 where none is known). They cost more where that is too little: an answer that is cut is paid and asked for again, and so may be an extraction of which more than 2,000 bytes are shown. What fifty like judgements leave that cost 70 % of it are 21 more: enough, unless most of a long prompt comes from a cache at a small part of its price, pictures come to a small part of 50,000 tokens, or answers have fewer than 50. A call whose usage the provider did not tell counts as all that it can have cost. It holds as far as providers tell their usage truly and keep to the limit of tokens; not counted are calls of a worker that died before it stored what came of them. A model whose price is not known cannot be used with it. */
  readonly max_cost_usd?: number | null | undefined;
  /** `flex` has the judge answer when its provider has room, for half the price, where the provider sells that (OpenAI's GPT-5 and later, o3 and o4-mini); what is refused there is asked at the standard tier at once, and a score says at which it was made. Null means the service's default. */
  readonly tier?: "standard" | "flex" | null | undefined;
};

export type PreviewedScore = {
  /** Scores with the same `id` come from the same question, put to the same model. A session's metrics are arithmetic: the provider is `assay`. Null of people and programs. */
  readonly judge: {
    readonly id: string;
    readonly provider: string | null;
    readonly model: string;
    /** A fingerprint of everything but the model and the trace that the score rests on: the words of the question, how much of a trace is shown, temperature and effort, embeddings. */
    readonly version: string;
  } | null;
  /** False: the metric does not apply here, the value is the one that clients expect, and no statistic counts it. Null where judging failed, and of scores that a version before has stored, as all fields here are. */
  readonly applicable: boolean | null;
  /** Why it does not apply: `no_tool_calls` (the trace calls no tool), `no_retrieved_documents` (the trace retrieves no documents), `no_plan` (the record states no plan), `no_embedding_model` (no embedding model is configured beside the judge's), `empty_input_or_output` (the input or the output is empty), `empty_output` (the output is empty), `no_session_context` (the session has no earlier trace), `no_previous_outputs` (the session's earlier traces have no output). There may be more. */
  readonly inapplicable_code: string | null;
  /** What the judge cites, as far as it stands in the record it was shown: a quotation of at most 300 characters and the span that has it (null: the trace's own fields), or a span alone. At most ten. Null where no record was shown. */
  readonly evidence:
    | readonly {
        readonly span_id: string | null;
        readonly quote: string | null;
      }[]
    | null;
  /** How many citations the record does not have. */
  readonly evidence_dropped: number | null;
  /** Null when judging failed. */
  readonly value: string | null;
  readonly status: "SUCCESS" | "FAILED" | "PENDING";
  readonly reason: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
};

export type CustomMetricPreview = {
  /** The model that is asked; null where none is. */
  readonly model: string | null;
  /** What may go wrong with it, as a linter sees it. Nothing is refused for a remark. */
  readonly remarks: readonly CustomMetricRemark[];
  /** In the order that was asked for. */
  readonly items: readonly {
    /** Null of a trace that was sent along. */
    readonly trace_id: string | null;
    /** False: the project has no such trace. */
    readonly found: boolean;
    /** As a run would store it, and nothing stores it here. Null of a dry run that would ask a judge, and where no trace was found. */
    readonly score: PreviewedScore | null;
    /** What the judge is sent, word for word, a question each. Behind a question come its further tries, where they say something else: what was wrong with the first answer, or half of a record that was too long. Empty where none is asked. */
    readonly messages: readonly {
      readonly system: string;
      readonly user: string;
    }[];
    readonly usage: {
      readonly calls: number;
      readonly prompt_tokens: number;
      readonly completion_tokens: number;
      /** Prompt tokens that came from the provider's cache. */
      readonly cached_tokens: number;
      /** Null when the price of any of it is not known. */
      readonly cost_usd: number | null;
    };
    /** What judging it is likely to cost, reckoned beforehand; null when the model's price is not known. */
    readonly estimated_cost_usd: number | null;
  }[];
};

/** What changes of a metric; absent leaves a field as it is. Null resets `rule` and `otherwise` to what follows from the statements, and clears `model`. */
export type CustomMetricUpdate = {
  /** What is evaluated, in one sentence. */
  readonly description?: string | undefined;
  /** What the judge has to know. It is said outside of the marks that a trace stands between, and cannot undo them. */
  readonly instructions?: string | undefined;
  /** `yes_no`, or two to seven levels, each with a label of its own, what it means, and the value it scores. */
  readonly scale?:
    | null
    | "yes_no"
    | readonly unknown[]
    | readonly {
        readonly label: string;
        readonly meaning: string;
        readonly value: number;
      }[]
    | undefined;
  /** What the judge answers with yes, no or that it cannot tell, each with evidence and a reason. Without any there is one for each level but the lowest. */
  readonly statements?:
    | readonly {
        /** `statement_1` and so on where it is absent. */
        readonly name?: string | null | undefined;
        /** One question that is answered with yes or no. */
        readonly text: string;
        /** What a yes means, as a clause. */
        readonly yes?: string | null | undefined;
        /** What a no means, as a clause. */
        readonly no?: string | null | undefined;
        /** The answer that speaks for the higher levels, where no rule is given. Default "yes". */
        readonly expected?: "yes" | "no" | undefined;
      }[]
    | undefined;
  /** What of a trace the judge is shown; all of it by default. */
  readonly evidence?: readonly ("transcript" | "final_answer" | "tools" | "retrieved_documents")[] | undefined;
  /** A score of at least this is a success. */
  readonly threshold?: number | undefined;
  readonly examples?:
    | readonly {
        /** What a record tells, in one or two sentences. */
        readonly record: string;
        /** How every statement is answered for it: yes, no or cannot_tell. */
        readonly answers: Readonly<Record<string, "yes" | "no" | "cannot_tell">>;
        /** Why, one sentence. Default "". */
        readonly reason?: string | undefined;
      }[]
    | undefined;
  /** The first line that holds gives the level. Without a rule it follows from how many statements are answered as expected: all of them the highest, none the lowest. */
  readonly rule?:
    | readonly {
        readonly level: string;
        /** By the name of a statement: yes or no. */
        readonly answers: Readonly<Record<string, "yes" | "no">>;
        /** How many of the answers have to be given; all of them when absent. */
        readonly least?: number | null | undefined;
      }[]
    | null
    | undefined;
  /** The level where no line holds; the lowest when absent. */
  readonly otherwise?: string | null | undefined;
  /** The condition of a check. */
  readonly check?: Readonly<Record<string, unknown>> | null | undefined;
  /** How a fold makes one score of many: `over`, the name of a score that the session's traces have; `by`, one of `min`, `mean` and `share_below` (the share of scores that are not below `below`, a number from 0 to 1). Of each of the session's newest 100 traces the newest score of the name counts that is a number from 0 to 1, applies, and was made of the trace as it is now or by a person, whoever made it and whatever model the run names; they are the session's score's `signals`. */
  readonly fold?: Readonly<Record<string, unknown>> | null | undefined;
  /** The judge, as <provider>/<model>; null means the service's default. */
  readonly model?: string | null | undefined;
};

export type MonitorInput = {
  readonly name: string;
  readonly target_type: "TRACE" | "SESSION";
  /** Names from the list of metrics of the target type; each is evaluated once. */
  readonly metrics: readonly string[];
  /** As TraceFilters or SessionFilters, by target_type; an empty object matches everything. Default {}. */
  readonly filters?: Readonly<Record<string, unknown>> | undefined;
  /** `every_6h`, `daily` or `weekly`, counted from the monitor's creation, from the change of its cadence or from its resumption; or `cron:` and five parts, minute, hour, day of month, month and day of week (0 and 7 are Sunday), in UTC: numbers, names, ranges, steps and lists. Where both days are restricted either may match. */
  readonly cadence: string;
  /** Share of the matching targets that is evaluated, chosen at random. Default 1. */
  readonly sampling_rate?: number | undefined;
  /** The judge, as <provider>/<model>; null means the service's default. */
  readonly model?: string | null | undefined;
  /** Skips a firing when nothing that matches has arrived or changed since the previous run. Default true. */
  readonly only_if_changed?: boolean | undefined;
  /** `all` evaluates everything that matches, `changed` what arrived or changed since the previous run. Default "all". */
  readonly scope?: "all" | "changed" | undefined;
  readonly signal_weights?: SignalWeights | null | undefined;
  /** US dollars that the run's judging may cost, embeddings included; null means no ceiling. It is not passed: before a judgement begins, all that it can cost is set aside (a token for each byte of its prompts, the limit of tokens that its answers are given, every question asked twice, at this deployment's prices), and what it has not cost is given back. Where what is left does not cover that, judgements wait for each other, then their answers are given fewer tokens, then they are asked once, and at last the run ends and says so: what was scored stays, the rest can be retried. So a run of answered judgements completes under a ceiling of what they cost and once more the most that the dearest of them, asked once, can cost: a token for each byte of its prompts, schemas among them as texts, and 600 more for each, 2,000 where something is extracted first, 50,000 for each picture, none of them from a cache, and an answer half as long again as such answers were and 128 tokens (1,024 where none is known). They cost more where that is too little: an answer that is cut is paid and asked for again, and so may be an extraction of which more than 2,000 bytes are shown. What fifty like judgements leave that cost 70 % of it are 21 more: enough, unless most of a long prompt comes from a cache at a small part of its price, pictures come to a small part of 50,000 tokens, or answers have fewer than 50. A call whose usage the provider did not tell counts as all that it can have cost. It holds as far as providers tell their usage truly and keep to the limit of tokens; not counted are calls of a worker that died before it stored what came of them. A model whose price is not known cannot be used with it. */
  readonly max_cost_usd?: number | null | undefined;
  /** `flex` has the judge answer when its provider has room, for half the price, where the provider sells that (OpenAI's GPT-5 and later, o3 and o4-mini); what is refused there is asked at the standard tier at once, and a score says at which it was made. Null means the service's default. */
  readonly tier?: "standard" | "flex" | null | undefined;
};

/** A saved evaluation that makes runs by itself. `next_run_at` is null while it is PAUSED. */
export type MonitorResponse = {
  readonly id: string;
  readonly project_id: string;
  readonly name: string;
  readonly target_type: "TRACE" | "SESSION";
  readonly metric_names: readonly string[];
  /** As sent, dates too. */
  readonly filters: Readonly<Record<string, unknown>>;
  readonly sampling_rate: number;
  readonly model: string | null;
  readonly cadence: string;
  readonly only_if_changed: boolean;
  readonly scope: "all" | "changed";
  readonly max_cost_usd: number | null;
  /** As sent; null means the service's default. */
  readonly tier: "standard" | "flex" | null;
  readonly status: "ACTIVE" | "PAUSED";
  readonly last_run_at: string | null;
  readonly last_run_id: string | null;
  readonly next_run_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
};

export type MonitorResponsePage = {
  readonly items: readonly MonitorResponse[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** What to send as `cursor` for the page behind this one; null when the list ends. `Link` has it as an address. */
  readonly next_cursor: string | null;
};

/** What changes of a monitor; absent leaves a field as it is. Null resets `filters` and `signal_weights` and clears `model`, `max_cost_usd` and `tier`. */
export type MonitorUpdate = {
  readonly name?: string | undefined;
  /** Names from the list of metrics of the target type; each is evaluated once. */
  readonly metrics?: readonly string[] | undefined;
  /** As TraceFilters or SessionFilters, by target_type; an empty object matches everything. */
  readonly filters?: Readonly<Record<string, unknown>> | null | undefined;
  /** `every_6h`, `daily` or `weekly`, counted from the monitor's creation, from the change of its cadence or from its resumption; or `cron:` and five parts, minute, hour, day of month, month and day of week (0 and 7 are Sunday), in UTC: numbers, names, ranges, steps and lists. Where both days are restricted either may match. */
  readonly cadence?: string | undefined;
  /** Share of the matching targets that is evaluated, chosen at random. */
  readonly sampling_rate?: number | undefined;
  /** The judge, as <provider>/<model>; null means the service's default. */
  readonly model?: string | null | undefined;
  /** Skips a firing when nothing that matches has arrived or changed since the previous run. */
  readonly only_if_changed?: boolean | undefined;
  /** `all` evaluates everything that matches, `changed` what arrived or changed since the previous run. */
  readonly scope?: "all" | "changed" | undefined;
  readonly signal_weights?: SignalWeights | null | undefined;
  /** US dollars that the run's judging may cost, embeddings included; null means no ceiling. It is not passed: before a judgement begins, all that it can cost is set aside (a token for each byte of its prompts, the limit of tokens that its answers are given, every question asked twice, at this deployment's prices), and what it has not cost is given back. Where what is left does not cover that, judgements wait for each other, then their answers are given fewer tokens, then they are asked once, and at last the run ends and says so: what was scored stays, the rest can be retried. So a run of answered judgements completes under a ceiling of what they cost and once more the most that the dearest of them, asked once, can cost: a token for each byte of its prompts, schemas among them as texts, and 600 more for each, 2,000 where something is extracted first, 50,000 for each picture, none of them from a cache, and an answer half as long again as such answers were and 128 tokens (1,024 where none is known). They cost more where that is too little: an answer that is cut is paid and asked for again, and so may be an extraction of which more than 2,000 bytes are shown. What fifty like judgements leave that cost 70 % of it are 21 more: enough, unless most of a long prompt comes from a cache at a small part of its price, pictures come to a small part of 50,000 tokens, or answers have fewer than 50. A call whose usage the provider did not tell counts as all that it can have cost. It holds as far as providers tell their usage truly and keep to the limit of tokens; not counted are calls of a worker that died before it stored what came of them. A model whose price is not known cannot be used with it. */
  readonly max_cost_usd?: number | null | undefined;
  /** `flex` has the judge answer when its provider has room, for half the price, where the provider sells that (OpenAI's GPT-5 and later, o3 and o4-mini); what is refused there is asked at the standard tier at once, and a score says at which it was made. Null means the service's default. */
  readonly tier?: "standard" | "flex" | null | undefined;
};

/** What became of a scheduled instant. `reason` says why there is no run. */
export type Firing = {
  readonly scheduled_at: string;
  readonly fired_at: string;
  readonly outcome: "RUN" | "SKIPPED_UNCHANGED" | "FAILED";
  readonly run_id: string | null;
  readonly reason: string | null;
};

export type FiringPage = {
  readonly items: readonly Firing[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** What to send as `cursor` for the page behind this one; null when the list ends. `Link` has it as an address. */
  readonly next_cursor: string | null;
};

export type RepricingInput = {
  /** Traces that started then or later. */
  readonly date_from: string;
  /** Traces that started before then. */
  readonly date_to: string;
};

/** A range of traces that gets the prices of `GET /prices` as they are when its traces come to their turn. Counts are short by what a worker did just before it died. */
export type Repricing = {
  readonly id: string;
  readonly project_id: string;
  /** Traces that started then or later. */
  readonly date_from: string;
  /** Traces that started before then. */
  readonly date_to: string;
  readonly status: "PENDING" | "COMPLETED";
  readonly requested_by: string;
  readonly requested_at: string;
  readonly completed_at: string | null;
  /** Traces of the range that were looked at so far. */
  readonly looked_at: number;
  /** Those of them that cost something else now. */
  readonly repriced: number;
  /** Those of them that could not be written; asked for again, they are tried again. */
  readonly failed: number;
};

/** What would be looked at. */
export type RepricingEstimate = {
  /** Traces of the range that have tokens: each one's document is read. */
  readonly traces: number;
  readonly total_tokens: number;
  readonly unpriced_tokens: number;
  /** What they cost now. */
  readonly total_cost: number;
};

export type RepricingPage = {
  readonly items: readonly Repricing[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** What to send as `cursor` for the page behind this one; null when the list ends. `Link` has it as an address. */
  readonly next_cursor: string | null;
};

export type Project = {
  readonly id: string;
  readonly org_id: string;
  readonly name: string;
  readonly description: string;
  readonly metadata_keys: readonly string[];
  readonly created_at: string;
};

export type ReachableProjectPage = {
  readonly items: readonly Project[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** What to send as `cursor` for the page behind this one; null when the list ends. `Link` has it as an address. */
  readonly next_cursor: string | null;
  /** What the API key that asks may do: everything, or read; null: a bearer token asks. */
  readonly key_access: "full" | "read" | "ingest" | null;
};

/** `organization_id` is the organization that `X-Organization-ID` names, else that of the oldest membership. `last_sign_in_at` is up to 5 minutes old. */
export type User = {
  readonly id: string;
  readonly email: string;
  readonly display_name: string;
  readonly organization_id: string | null;
  readonly created_at: string;
  readonly last_sign_in_at: string | null;
};

/** An invitation that is not answered within 7 days is EXPIRED. */
export type Invitation = {
  readonly id: string;
  readonly org_id: string;
  readonly org_name: string;
  readonly email: string;
  readonly role: "OWNER" | "ADMIN" | "MEMBER";
  readonly status: "PENDING" | "ACCEPTED" | "DECLINED" | "REVOKED" | "EXPIRED";
  readonly invited_by: string;
  readonly inviter_display_name: string;
  readonly inviter_email: string;
  readonly created_at: string;
  readonly expires_at: string;
};

export type InvitationPage = {
  readonly items: readonly Invitation[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** What to send as `cursor` for the page behind this one; null when the list ends. `Link` has it as an address. */
  readonly next_cursor: string | null;
};

/** The receipt of a deletion; `id` is that of what was deleted. `removed` counts stored items by what they are, short by what a worker removed just before it died; `strays` were found where no list led to them. PROVED: two looks, more than 15 minutes apart, found nothing of it, nor did, for a project, a reading of all tables between them. Not spoken of are ids in receipts, audit events and logs (30 days); what expires by itself, sign-in codes within two minutes, counters of rate limits within two hours and answers kept for requests that come again within a day (only their key can read them), and DynamoDB removes within days of that; and backups, which go back 35 days. */
export type Deletion = {
  readonly id: string;
  readonly kind: "PROJECT" | "ORGANIZATION";
  readonly name: string;
  readonly org_id: string;
  readonly requested_by: string;
  readonly requested_at: string;
  readonly status: "RUNNING" | "PROVED";
  readonly removed: Readonly<Record<string, number>>;
  readonly proved_empty_at: string | null;
};

export type DeletionPage = {
  readonly items: readonly Deletion[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** What to send as `cursor` for the page behind this one; null when the list ends. `Link` has it as an address. */
  readonly next_cursor: string | null;
};

export type Membership = {
  readonly id: string;
  readonly user_id: string;
  readonly org_id: string;
  readonly role: "OWNER" | "ADMIN" | "MEMBER";
  readonly display_name: string;
  readonly email: string;
  readonly created_at: string;
};

export type OrganizationInput = {
  /** 1 to 255 letters, digits, blanks and `_ . ' -`, a letter or digit first and last; blanks around it are dropped. */
  readonly name: string;
};

export type Organization = {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  /** The least role that may make API keys. */
  readonly key_makers: "OWNER" | "ADMIN" | "MEMBER";
};

/** An organization, and what the caller is in it. */
export type OwnOrganization = {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  /** The least role that may make API keys. */
  readonly key_makers: "OWNER" | "ADMIN" | "MEMBER";
  readonly role: "OWNER" | "ADMIN" | "MEMBER";
};

export type OwnOrganizationPage = {
  readonly items: readonly OwnOrganization[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** What to send as `cursor` for the page behind this one; null when the list ends. `Link` has it as an address. */
  readonly next_cursor: string | null;
};

/** Null or absent leaves a field as it is. */
export type OrganizationUpdate = {
  /** 1 to 255 letters, digits, blanks and `_ . ' -`, a letter or digit first and last; blanks around it are dropped. */
  readonly name?: string | null | undefined;
  /** The least role that may make API keys. */
  readonly key_makers?: "OWNER" | "ADMIN" | "MEMBER" | null | undefined;
};

export type MembershipPage = {
  readonly items: readonly Membership[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** What to send as `cursor` for the page behind this one; null when the list ends. `Link` has it as an address. */
  readonly next_cursor: string | null;
};

export type MemberUpdate = {
  readonly role: "OWNER" | "ADMIN" | "MEMBER";
};

/** The API keys that a removed member had made and that worked. */
export type MemberRemoval = {
  readonly revoked_keys: readonly {
    readonly id: string;
    readonly name: string;
    readonly key_prefix: string;
  }[];
  readonly remaining_keys: readonly {
    readonly id: string;
    readonly name: string;
    readonly key_prefix: string;
  }[];
};

export type InvitationInput = {
  /** In Unicode's normal form NFKC. Compared with A to Z in lower case; blanks around it are dropped. */
  readonly email: string;
  /** Default "MEMBER". */
  readonly role?: "OWNER" | "ADMIN" | "MEMBER" | undefined;
};

export type ProjectInput = {
  /** 1 to 255 letters, digits, blanks and `_ . ' -`, a letter or digit first and last; blanks around it are dropped. */
  readonly name: string;
  /** Default "". */
  readonly description?: string | undefined;
  /** Keys of traces' `metadata` by which traces will be found: the list of traces carries their values. Values of up to 128 characters count (what is no text as its JSON); a trace that was stored before a key was declared carries it once more of it changes than its tags and late spans. Default []. */
  readonly metadata_keys?: readonly string[] | undefined;
};

export type ProjectPage = {
  readonly items: readonly Project[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** What to send as `cursor` for the page behind this one; null when the list ends. `Link` has it as an address. */
  readonly next_cursor: string | null;
};

/** Null or absent leaves a field as it is. */
export type ProjectUpdate = {
  /** 1 to 255 letters, digits, blanks and `_ . ' -`, a letter or digit first and last; blanks around it are dropped. */
  readonly name?: string | null | undefined;
  readonly description?: string | null | undefined;
  /** Keys of traces' `metadata` by which traces will be found: the list of traces carries their values. Values of up to 128 characters count (what is no text as its JSON); a trace that was stored before a key was declared carries it once more of it changes than its tags and late spans. */
  readonly metadata_keys?: readonly string[] | null | undefined;
};

export type ApiKeyInput = {
  readonly name: string;
  /** Default "never". */
  readonly expiration?: "never" | "90d" | undefined;
  /** `full`: all that the data plane has. `read`: what changes nothing and costs nothing. `ingest`: sends traces and spans, and reads nothing. Default "full". */
  readonly access?: "full" | "read" | "ingest" | undefined;
  /** The one project that the key reaches; every project when null or absent. */
  readonly project_id?: string | null | undefined;
};

/** `raw_key` is the key itself: it is there in the reply that makes the key and null ever after. `is_active` is false once the key is revoked or has expired. `created_by` is the user who made it; null for the operator's, and for keys from before makers were kept. `sign_in` says that a command line was signed in by it: such keys end with their maker's membership. */
export type ApiKey = {
  readonly id: string;
  readonly org_id: string;
  readonly key_prefix: string;
  readonly name: string;
  readonly is_active: boolean;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly raw_key: string | null;
  readonly access: "full" | "read" | "ingest";
  readonly project_id: string | null;
  readonly created_by: string | null;
  readonly sign_in: boolean;
};

export type ApiKeyPage = {
  readonly items: readonly ApiKey[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** What to send as `cursor` for the page behind this one; null when the list ends. `Link` has it as an address. */
  readonly next_cursor: string | null;
};

/** `target_id` is the id of what the first word of `action` names: a member's is the user's, of several traces that were deleted at once it is the project's. `details` of a deletion have `project_id`, `deleted`, how many traces, runs or monitors went, and the `ids` of several. */
export type AuditEvent = {
  readonly id: string;
  readonly action:
    | "organization.created"
    | "organization.renamed"
    | "organization.key_makers_changed"
    | "member.joined"
    | "member.role_changed"
    | "member.removed"
    | "member.left"
    | "invitation.created"
    | "invitation.declined"
    | "invitation.revoked"
    | "project.created"
    | "project.updated"
    | "project.deleted"
    | "project.repriced"
    | "api_key.created"
    | "api_key.rotated"
    | "api_key.revoked"
    | "api_key.deleted"
    | "trace.deleted"
    | "session.deleted"
    | "run.deleted"
    | "monitor.deleted";
  readonly actor_type: "USER" | "API_KEY";
  readonly actor_id: string;
  readonly target_id: string;
  readonly details: Readonly<Record<string, string>>;
  readonly created_at: string;
};

export type AuditEventPage = {
  readonly items: readonly AuditEvent[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
  /** What to send as `cursor` for the page behind this one; null when the list ends. `Link` has it as an address. */
  readonly next_cursor: string | null;
};

/** `code_challenge` is the unpadded base64url of the SHA-256 of the verifier. */
export type CliCodeInput = {
  readonly org_id: string;
  readonly project_id: string;
  /** What the key will reach: its organization, or the project alone. Default "organization". */
  readonly scope?: "organization" | "project" | undefined;
  readonly code_challenge: string;
  /** Default "S256". */
  readonly code_challenge_method?: string | undefined;
  readonly label?: string | null | undefined;
  /** Default 90. */
  readonly expires_days?: number | undefined;
};

export type CliCode = {
  readonly code: string;
  readonly expires_in: number;
};

export type CliExchangeInput = {
  readonly code: string;
  readonly code_verifier: string;
};

export type CliKey = {
  readonly api_key: string;
  readonly project_name: string;
  readonly org_id: string;
  readonly key_id: string;
  readonly key_prefix: string;
  readonly expires_at: string;
};

/** What a plan includes; null: no bound. */
export type Plan = {
  readonly name: "HOBBY" | "PRO" | "STARTUP" | "ENTERPRISE" | "DEVELOPMENT";
  readonly base_traces: number | null;
  readonly base_trace_evals: number | null;
  readonly base_session_evals: number | null;
  readonly monitoring_allowed: boolean;
  readonly max_members: number | null;
  readonly pay_as_you_go: boolean;
  readonly monthly_price_cents: number;
  /** US dollars, as text. */
  readonly overage_unit_price: string;
};

export type Subscription = {
  readonly id: string;
  readonly org_id: string;
  readonly plan: "HOBBY" | "PRO" | "STARTUP" | "ENTERPRISE" | "DEVELOPMENT";
  readonly status: "ACTIVE" | "PAST_DUE" | "CANCELED" | "INCOMPLETE";
  /** Months are calendar months in UTC. */
  readonly current_period_start: string;
  /** Months are calendar months in UTC. */
  readonly current_period_end: string;
  readonly canceled_at: string | null;
  readonly created_at: string;
};

export type Usage = {
  readonly plan: "HOBBY" | "PRO" | "STARTUP" | "ENTERPRISE" | "DEVELOPMENT";
  readonly status: "ACTIVE" | "PAST_DUE" | "CANCELED" | "INCOMPLETE";
  /** Months are calendar months in UTC. */
  readonly period_start: string;
  /** Months are calendar months in UTC. */
  readonly period_end: string;
  /** Traces that started in the month. */
  readonly traces: number;
  /** Scores of traces that were made in the month, by whomever. */
  readonly trace_evals: number;
  /** Scores of sessions that were made in the month, by whomever. */
  readonly session_evals: number;
  readonly limits: Plan;
};

export type Billing = {
  readonly plan: "HOBBY" | "PRO" | "STARTUP" | "ENTERPRISE" | "DEVELOPMENT";
  /** Months are calendar months in UTC. */
  readonly period_start: string;
  /** Months are calendar months in UTC. */
  readonly period_end: string;
  readonly base_price_cents: number;
  /** US dollars, as text. */
  readonly overage_unit_price: string;
  readonly traces: {
    readonly used: number;
    readonly included: number | null;
    readonly overage_units: number;
    /** US dollars, as text. */
    readonly overage_cost: string;
  };
  readonly trace_evals: {
    readonly used: number;
    readonly included: number | null;
    readonly overage_units: number;
    /** US dollars, as text. */
    readonly overage_cost: string;
  };
  readonly session_evals: {
    readonly used: number;
    readonly included: number | null;
    readonly overage_units: number;
    /** US dollars, as text. */
    readonly overage_cost: string;
  };
  /** US dollars, as text. */
  readonly total_overage_cost: string;
  /** US dollars, as text. */
  readonly reported_overage_cost: string;
  /** US dollars, as text. */
  readonly pending_overage_cost: string;
  readonly estimated_total_cents: number;
};

export type Invoice = {
  readonly period_start: string;
  readonly period_end: string;
  readonly trace_count: number;
  readonly trace_eval_count: number;
  readonly session_eval_count: number;
  readonly billed: boolean;
  readonly stripe_invoice_id: string | null;
};

/** Parameters of queries that several operations take. */
type QueryParameters = {
  /** The name of the scores, numbers first. Goes with `sort_by=score` alone. */
  readonly sort_metric?: string | undefined;
  /** Default "day". */
  readonly granularity?: "hour" | "day" | "week" | undefined;
  /** Started then or later. */
  readonly started_after?: string | undefined;
  /** Started before then. */
  readonly started_before?: string | undefined;
  /** `skeleton`: spans come without their bodies, `input`, `output` and `model_parameters` null and `metadata` empty; `GET /traces/{trace_id}/spans/{span_id}` reads one whole. Default "all". */
  readonly fields?: "all" | "skeleton" | undefined;
  readonly session_id?: string | undefined;
  readonly status?: "PENDING" | "RUNNING" | "COMPLETED" | "ERROR" | undefined;
  /** Whether the run's scores go, too; by default they stay. Default false. */
  readonly delete_scores?: boolean | undefined;
  /** Part of the name, in any case. */
  readonly name?: string | undefined;
  readonly source?: "AUTOMATED" | "ANNOTATION" | "PROGRAMMATIC" | undefined;
  readonly eval_run_id?: string | undefined;
  /** A model that one of its spans names, exactly: one of the trace's first 16 and of the project's first 1,000. */
  readonly model?: string | undefined;
  /** Of NUMERIC scores that apply, inclusive. */
  readonly min_value?: number | undefined;
  /** Of NUMERIC scores that apply, inclusive. */
  readonly max_value?: number | undefined;
  /** What its metadata say: whether the value reaches the metric's threshold. */
  readonly success?: boolean | undefined;
  /** Whether what was judged has changed since: half a read unit for each score. */
  readonly stale?: boolean | undefined;
  /** Whether its metric applies; where it is known. */
  readonly applicable?: boolean | undefined;
  /** Scores created then or later. */
  readonly date_from?: string | undefined;
  /** Scores created before then. */
  readonly date_to?: string | undefined;
  /** Default "created_at". */
  readonly sort_by?: "created_at" | "value" | undefined;
  /** Default 10. */
  readonly buckets?: number | undefined;
  readonly target_type?: "TRACE" | "SESSION" | undefined;
  /** The name of the scores, exactly. */
  readonly metric_name?: string | undefined;
  /** Whether to answer 200 with an estimate of what the run would come to, and make nothing. Default false. */
  readonly dry_run?: boolean | undefined;
  /** Whether the trace has the status ERROR, or one of its spans failed. */
  readonly has_error?: boolean | undefined;
  /** Whether it names a session. */
  readonly has_session?: boolean | undefined;
  readonly user_id?: string | undefined;
  /** Any of these; repeat the parameter for each. */
  readonly tags?: readonly string[] | undefined;
  /** Milliseconds, inclusive; of what has ended. */
  readonly min_latency_ms?: number | undefined;
  /** Milliseconds, inclusive; of what has ended. */
  readonly max_latency_ms?: number | undefined;
  /** Dollars of all its spans, inclusive. */
  readonly min_cost?: number | undefined;
  /** Dollars of all its spans, inclusive. */
  readonly max_cost?: number | undefined;
  /** Prompt and completion tokens of all its spans, inclusive. */
  readonly min_tokens?: number | undefined;
  /** Prompt and completion tokens of all its spans, inclusive. */
  readonly max_tokens?: number | undefined;
  /** The name of a span of the kind TOOL, exactly: one of the trace's first 32 and of the project's first 1,000. */
  readonly tool?: string | undefined;
  /** The release, exactly. */
  readonly release?: string | undefined;
  /** The environment, exactly. */
  readonly environment?: string | undefined;
  /** Parameters `metadata.<key>=<value>` or `metadata[<key>]=<value>`. Values of keys that the project declares in `metadata_keys`, each exactly; what is no text as its JSON. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** All of them hold. `<name><operator><value>` with `<`, `<=`, `>`, `>=`, `=` or `!=`, such as `task_completion<0.5` or `helpful=true`: what the newest successful score of that name has to meet. Numbers are compared as numbers, anything else is equal or not; what has no such score, or one that does not apply, meets nothing. */
  readonly score?: readonly string[] | undefined;
  /** Of each of these names there is no score that succeeded. */
  readonly no_score?: readonly string[] | undefined;
  /** Nulls are last in both directions; equals are ordered by id. Default "desc". */
  readonly sort_order?: "desc" | "asc" | undefined;
  /** Default 50. */
  readonly limit?: number | undefined;
  /** Default 0. */
  readonly offset?: number | undefined;
  /** The `version` of a score's judge: scores of one version and model were asked alike. */
  readonly judge?: string | undefined;
  /** A version of a metric of one's own, as the scores' metadata say it; the metric's name goes with it. */
  readonly metric_version?: number | undefined;
  /** The `next_cursor` of the page before, with the same filters and order: what comes meanwhile moves nothing. In place of `offset`, which is 0 or absent beside it. */
  readonly cursor?: string | undefined;
};

/** What each operation takes and answers. */
export interface Operations {
  /** Whether the service answers. */
  readonly getHealth: {
    readonly reply: Health;
  };
  /** This interface as an OpenAPI document. */
  readonly getOpenApi: {
    readonly reply: {
      readonly openapi: string;
      readonly info: {
        readonly title: string;
        readonly version: string;
      };
    };
  };
  /** Store a trace; a trace sent again is merged. */
  readonly createTrace: {
    readonly body: TraceInput;
    readonly reply: TraceReceipt;
  };
  /** Store many traces. */
  readonly createTraces: {
    readonly body: {
      readonly traces: readonly TraceInput[];
    };
    readonly reply: BatchReceipt;
  };
  /** Whether the service answers, where Langfuse's SDKs ask it. */
  readonly getHealthLangfuse: {
    readonly reply: Health;
  };
  /** Tell Langfuse's SDKs which project their keys are for. */
  readonly listLangfuseProjects: {
    readonly reply: LangfuseProjects;
  };
  /** Take scores where Langfuse's SDKs send them. */
  readonly createLangfuseScores: {
    readonly body: LangfuseScores;
    readonly reply: LangfuseScoresReply;
  };
  /** Take scores out of the events of Langfuse's SDKs. */
  readonly ingestLangfuse: {
    readonly body: LangfuseIngestion;
    readonly reply: LangfuseIngestionReply;
  };
  /** List traces. */
  readonly listTraces: {
    readonly query: Pick<
      QueryParameters,
      | "limit"
      | "offset"
      | "cursor"
      | "started_after"
      | "started_before"
      | "user_id"
      | "tags"
      | "session_id"
      | "status"
      | "name"
      | "has_error"
      | "min_latency_ms"
      | "max_latency_ms"
      | "min_cost"
      | "max_cost"
      | "min_tokens"
      | "max_tokens"
      | "model"
      | "tool"
      | "release"
      | "environment"
      | "has_session"
      | "metadata"
      | "score"
      | "no_score"
      | "sort_order"
      | "sort_metric"
    > & {
      /** Default "started_at". */
      readonly sort_by?:
        | "started_at"
        | "ended_at"
        | "name"
        | "latency"
        | "status"
        | "cost"
        | "tokens"
        | "errors"
        | "score"
        | undefined;
      /** `scores`: the newest score of each name beside the item; they may lag by seconds. `preview`: the first words of its input. */
      readonly include?: readonly ("scores" | "preview")[] | undefined;
    };
    readonly reply: TraceListItemPage;
  };
  /** List the users of traces. */
  readonly listUsers: {
    readonly query: Pick<
      QueryParameters,
      | "limit"
      | "offset"
      | "cursor"
      | "started_after"
      | "started_before"
      | "user_id"
      | "tags"
      | "session_id"
      | "status"
      | "name"
      | "has_error"
      | "min_latency_ms"
      | "max_latency_ms"
      | "min_cost"
      | "max_cost"
      | "min_tokens"
      | "max_tokens"
      | "model"
      | "tool"
      | "release"
      | "environment"
      | "has_session"
      | "metadata"
      | "score"
      | "no_score"
      | "sort_order"
    > & {
      /** Default "last_seen". */
      readonly sort_by?: "last_seen" | "trace_count" | "errors" | "latency" | "cost" | "tokens" | undefined;
    };
    readonly reply: UserSummaryPage;
  };
  /** Tell traces and what they used over time. */
  readonly getTraceAnalytics: {
    readonly query: Pick<
      QueryParameters,
      | "user_id"
      | "tags"
      | "session_id"
      | "status"
      | "name"
      | "has_error"
      | "min_latency_ms"
      | "max_latency_ms"
      | "min_cost"
      | "max_cost"
      | "min_tokens"
      | "max_tokens"
      | "model"
      | "tool"
      | "release"
      | "environment"
      | "has_session"
      | "metadata"
      | "score"
      | "no_score"
    > & {
      /** Default "volume". */
      readonly metric?: "volume" | "errors" | "latency" | "cost" | "tokens" | "models" | undefined;
      /** Buckets are UTC; a week begins on Monday. Default "day". */
      readonly granularity?: "hour" | "day" | "week" | undefined;
      /** Started then or later; a week before the end when absent. */
      readonly started_after?: string | undefined;
      /** Started before then; now when absent. */
      readonly started_before?: string | undefined;
    };
    readonly reply: readonly TraceBucket[] | readonly UsageBucket[] | readonly ModelUsage[];
  };
  /** Read a trace with its spans. */
  readonly getTrace: {
    readonly path: {
      readonly trace_id: string;
    };
    readonly query: Pick<QueryParameters, "fields">;
    readonly reply: Trace;
  };
  /** Read a span of a trace. */
  readonly getSpan: {
    readonly path: {
      readonly trace_id: string;
      readonly span_id: string;
    };
    readonly reply: Span;
  };
  /** Add spans to a trace, or send them again. */
  readonly createSpans: {
    readonly path: {
      readonly trace_id: string;
    };
    readonly body: readonly SpanInput[];
    readonly reply: SpanReceipt;
  };
  /** Change a trace. */
  readonly updateTrace: {
    readonly path: {
      readonly trace_id: string;
    };
    readonly body: TraceUpdate;
    readonly reply: Trace;
  };
  /** Change a span of a trace. */
  readonly updateSpan: {
    readonly path: {
      readonly trace_id: string;
      readonly span_id: string;
    };
    readonly body: SpanUpdate;
    readonly reply: Span;
  };
  /** Add tags to traces, and remove some. */
  readonly tagTraces: {
    readonly body: {
      readonly trace_ids: readonly string[];
      /** Default []. */
      readonly add_tags?: readonly string[] | undefined;
      /** Default []. */
      readonly remove_tags?: readonly string[] | undefined;
    };
    readonly reply: Updated;
  };
  /** Delete a trace with its spans and scores. */
  readonly deleteTrace: {
    readonly path: {
      readonly trace_id: string;
    };
  };
  /** Delete traces with their spans and scores. */
  readonly deleteTraces: {
    readonly body: {
      readonly trace_ids: readonly string[];
    };
    readonly reply: Deleted;
  };
  /** List what models cost: the operator's prices, then the service's. */
  readonly listPrices: {
    readonly query: Pick<QueryParameters, "limit" | "offset" | "cursor">;
    readonly reply: ModelPricePage;
  };
  /** List sessions. */
  readonly listSessions: {
    readonly query: Pick<
      QueryParameters,
      | "limit"
      | "offset"
      | "cursor"
      | "user_id"
      | "tags"
      | "started_after"
      | "started_before"
      | "min_latency_ms"
      | "max_latency_ms"
      | "min_cost"
      | "max_cost"
      | "min_tokens"
      | "max_tokens"
      | "model"
      | "tool"
      | "release"
      | "environment"
      | "metadata"
      | "score"
      | "no_score"
      | "sort_order"
      | "sort_metric"
    > & {
      /** Part of the session's id, in any case. */
      readonly query?: string | undefined;
      readonly has_error?: boolean | undefined;
      /** Default "recent". */
      readonly sort_by?: "recent" | "trace_count" | "latency" | "cost" | "tokens" | "errors" | "score" | undefined;
      /** `scores`: the newest score of each name beside the item. They may lag by seconds. */
      readonly include?: readonly "scores"[] | undefined;
    };
    readonly reply: SessionSummaryPage;
  };
  /** Tell sessions over time. */
  readonly getSessionAnalytics: {
    readonly query: Pick<
      QueryParameters,
      | "user_id"
      | "tags"
      | "session_id"
      | "status"
      | "name"
      | "has_error"
      | "min_latency_ms"
      | "max_latency_ms"
      | "min_cost"
      | "max_cost"
      | "min_tokens"
      | "max_tokens"
      | "model"
      | "tool"
      | "release"
      | "environment"
      | "has_session"
      | "metadata"
      | "score"
      | "no_score"
    > & {
      /** Buckets are UTC; a week begins on Monday. Default "day". */
      readonly granularity?: "hour" | "day" | "week" | undefined;
      /** Started then or later; a week before the end when absent. */
      readonly started_after?: string | undefined;
      /** Started before then; now when absent. */
      readonly started_before?: string | undefined;
    };
    readonly reply: readonly SessionBucket[];
  };
  /** Read a session with its traces. */
  readonly getSession: {
    readonly path: {
      readonly session_id: string;
    };
    readonly query: Pick<QueryParameters, "offset" | "cursor" | "fields"> & {
      /** Default 200. */
      readonly limit?: number | undefined;
      /** The session's id where the path has `-`: any id, also one that is a word of a path. */
      readonly session_id?: string | undefined;
    };
    readonly reply: SessionDetail;
  };
  /** Delete a session: its traces and its scores. */
  readonly deleteSession: {
    readonly path: {
      readonly session_id: string;
    };
    readonly query: {
      /** The session's id where the path has `-`: any id, also one that is a word of a path. */
      readonly session_id?: string | undefined;
    };
    readonly reply: Deleted;
  };
  /** List the metrics for traces. */
  readonly listTraceMetrics: {
    readonly reply: readonly Metric[];
  };
  /** List the metrics for sessions. */
  readonly listSessionMetrics: {
    readonly reply: readonly SessionMetric[];
  };
  /** List the providers of judge models. */
  readonly listProviders: {
    readonly reply: readonly Provider[];
  };
  /** Tell what judging has used of the operator's ceilings. */
  readonly getSpend: {
    readonly reply: Spend;
  };
  /** Read what a run with a metric would ask, as a form to fill in. */
  readonly getRunTemplate: {
    readonly query: {
      /** A name from the list of metrics for traces. */
      readonly metric: string;
    };
    readonly reply: EvalRunTemplate;
  };
  /** Read what a run with a metric would ask, as a form to fill in. */
  readonly getRunTemplateShort: {
    readonly query: {
      /** A name from the list of metrics for traces. */
      readonly metric: string;
    };
    readonly reply: EvalRunTemplate;
  };
  /** Evaluate the traces that match filters. */
  readonly createTraceRun: {
    readonly query: Pick<QueryParameters, "dry_run">;
    readonly body: EvalRunInput;
    readonly reply: EvalRun;
    readonly dryRun: RunEstimate;
  };
  /** Evaluate listed traces. */
  readonly createTraceBatchRun: {
    readonly query: Pick<QueryParameters, "dry_run">;
    readonly body: BatchEvalRunInput;
    readonly reply: EvalRun;
    readonly dryRun: RunEstimate;
  };
  /** List eval runs of traces, newest first. */
  readonly listTraceRuns: {
    readonly query: Pick<QueryParameters, "limit" | "offset" | "cursor"> & {
      readonly status?: "PENDING" | "RUNNING" | "COMPLETED" | "FAILED" | undefined;
    };
    readonly reply: EvalRunPage;
  };
  /** Read an eval run with its live counters. */
  readonly getTraceRun: {
    readonly path: {
      readonly run_id: string;
    };
    readonly reply: EvalRun;
  };
  /** Delete an eval run. */
  readonly deleteTraceRun: {
    readonly path: {
      readonly run_id: string;
    };
    readonly query: Pick<QueryParameters, "delete_scores">;
  };
  /** Evaluate again what failed in an eval run. */
  readonly retryTraceRun: {
    readonly path: {
      readonly run_id: string;
    };
    readonly reply: EvalRun;
  };
  /** List the traces of an eval run and how far each is, in the order in which they were frozen. */
  readonly listTraceRunTargets: {
    readonly path: {
      readonly run_id: string;
    };
    readonly query: Pick<QueryParameters, "limit" | "offset" | "cursor">;
    readonly reply: RunTargetPage;
  };
  /** List the scores of an eval run, newest first. */
  readonly listTraceRunScores: {
    readonly path: {
      readonly run_id: string;
    };
    readonly query: Pick<QueryParameters, "cursor"> & {
      readonly limit?: number | undefined;
      readonly offset?: number | undefined;
    };
    readonly reply: readonly TraceScore[] | TraceScorePage;
  };
  /** Evaluate the sessions that match filters. */
  readonly createSessionRun: {
    readonly query: Pick<QueryParameters, "dry_run">;
    readonly body: SessionEvalRunInput;
    readonly reply: EvalRun;
    readonly dryRun: RunEstimate;
  };
  /** Evaluate listed sessions. */
  readonly createSessionBatchRun: {
    readonly query: Pick<QueryParameters, "dry_run">;
    readonly body: SessionBatchEvalRunInput;
    readonly reply: EvalRun;
    readonly dryRun: RunEstimate;
  };
  /** List eval runs of sessions, newest first. */
  readonly listSessionRuns: {
    readonly query: Pick<QueryParameters, "limit" | "offset" | "cursor"> & {
      readonly status?: "PENDING" | "RUNNING" | "COMPLETED" | "FAILED" | undefined;
    };
    readonly reply: EvalRunPage;
  };
  /** Read an eval run of sessions with its live counters. */
  readonly getSessionRun: {
    readonly path: {
      readonly run_id: string;
    };
    readonly reply: EvalRun;
  };
  /** Delete an eval run of sessions. */
  readonly deleteSessionRun: {
    readonly path: {
      readonly run_id: string;
    };
    readonly query: Pick<QueryParameters, "delete_scores">;
  };
  /** Evaluate again what failed in an eval run of sessions. */
  readonly retrySessionRun: {
    readonly path: {
      readonly run_id: string;
    };
    readonly reply: EvalRun;
  };
  /** List the sessions of an eval run and how far each is, in the order in which they were frozen. */
  readonly listSessionRunTargets: {
    readonly path: {
      readonly run_id: string;
    };
    readonly query: Pick<QueryParameters, "limit" | "offset" | "cursor">;
    readonly reply: RunTargetPage;
  };
  /** List the scores of an eval run of sessions, newest first. */
  readonly listSessionRunScores: {
    readonly path: {
      readonly run_id: string;
    };
    readonly query: Pick<QueryParameters, "cursor"> & {
      readonly limit?: number | undefined;
      readonly offset?: number | undefined;
    };
    readonly reply: readonly SessionScore[] | SessionScorePage;
  };
  /** Score a trace. */
  readonly createTraceScore: {
    readonly body: TraceScoreInput;
    readonly reply: TraceScore;
  };
  /** List scores of traces. */
  readonly listTraceScores: {
    readonly query: Pick<
      QueryParameters,
      | "limit"
      | "offset"
      | "cursor"
      | "source"
      | "eval_run_id"
      | "judge"
      | "min_value"
      | "max_value"
      | "success"
      | "metric_version"
      | "stale"
      | "applicable"
      | "sort_by"
      | "sort_order"
    > & {
      readonly trace_id?: string | undefined;
      /** Scores of this span. */
      readonly span_id?: string | undefined;
      /** The metric's name, exactly. */
      readonly name?: string | undefined;
      readonly status?: "SUCCESS" | "FAILED" | "PENDING" | undefined;
      /** The judge's model, `<provider>/<model>` or without the provider, exactly. */
      readonly model?: string | undefined;
      /** Created then or later. */
      readonly date_from?: string | undefined;
      /** Created before then. */
      readonly date_to?: string | undefined;
      readonly data_type?: "NUMERIC" | "BOOLEAN" | "CATEGORICAL" | undefined;
      readonly environment?: string | undefined;
    };
    readonly reply: TraceScorePage;
  };
  /** Read the latest scores of a trace. */
  readonly getTraceScores: {
    readonly path: {
      /** Here the id of a trace. */
      readonly score_id: string;
    };
    readonly reply: readonly TraceScore[];
  };
  /** Edit a score of a trace. */
  readonly updateTraceScore: {
    readonly path: {
      readonly score_id: string;
    };
    readonly body: ScoreEdit;
    readonly reply: TraceScore;
  };
  /** Delete a score of a trace. */
  readonly deleteTraceScore: {
    readonly path: {
      readonly score_id: string;
    };
  };
  /** Score a session. */
  readonly createSessionScore: {
    readonly body: SessionScoreInput;
    readonly reply: SessionScore;
  };
  /** List scores of sessions. */
  readonly listSessionScores: {
    readonly query: Pick<
      QueryParameters,
      | "limit"
      | "offset"
      | "cursor"
      | "session_id"
      | "source"
      | "eval_run_id"
      | "judge"
      | "min_value"
      | "max_value"
      | "success"
      | "metric_version"
      | "stale"
      | "applicable"
      | "sort_by"
      | "sort_order"
    > & {
      /** The metric's name, exactly. */
      readonly name?: string | undefined;
      readonly status?: "SUCCESS" | "FAILED" | "PENDING" | undefined;
      /** The judge's model, `<provider>/<model>` or without the provider, exactly. */
      readonly model?: string | undefined;
      /** Created then or later. */
      readonly date_from?: string | undefined;
      /** Created before then. */
      readonly date_to?: string | undefined;
    };
    readonly reply: SessionScorePage;
  };
  /** Read all scores of a session, newest first. */
  readonly getSessionScores: {
    readonly path: {
      /** Here the id of a session. */
      readonly score_id: string;
    };
    readonly reply: readonly SessionScore[];
  };
  /** Edit a score of a session. */
  readonly updateSessionScore: {
    readonly path: {
      readonly score_id: string;
    };
    readonly body: ScoreEdit;
    readonly reply: SessionScore;
  };
  /** Delete a score of a session. */
  readonly deleteSessionScore: {
    readonly path: {
      readonly score_id: string;
    };
  };
  /** Sum up the scores of traces. */
  readonly getTraceScoreSummary: {
    readonly query: Pick<QueryParameters, "metric_name" | "judge" | "metric_version" | "date_from" | "date_to">;
    readonly reply: readonly ScoreSummary[];
  };
  /** Follow the scores of traces over time. */
  readonly getTraceScoreTrend: {
    readonly query: Pick<QueryParameters, "judge" | "metric_version" | "date_from" | "date_to" | "granularity"> & {
      /** The name of the scores, exactly. */
      readonly metric_name: string;
    };
    readonly reply: readonly ScoreTrendBucket[];
  };
  /** See how the scores of traces spread. */
  readonly getTraceScoreDistribution: {
    readonly query: Pick<QueryParameters, "judge" | "metric_version" | "date_from" | "date_to" | "buckets"> & {
      /** The name of the scores, exactly. */
      readonly metric_name: string;
    };
    readonly reply: readonly ScoreDistributionBucket[];
  };
  /** Sum up the scores of sessions. */
  readonly getSessionScoreSummary: {
    readonly query: Pick<QueryParameters, "metric_name" | "judge" | "metric_version" | "date_from" | "date_to">;
    readonly reply: readonly ScoreSummary[];
  };
  /** Follow the scores of sessions over time. */
  readonly getSessionScoreTrend: {
    readonly query: Pick<QueryParameters, "judge" | "metric_version" | "date_from" | "date_to" | "granularity"> & {
      /** The name of the scores, exactly. */
      readonly metric_name: string;
    };
    readonly reply: readonly ScoreTrendBucket[];
  };
  /** See how the scores of sessions spread. */
  readonly getSessionScoreDistribution: {
    readonly query: Pick<QueryParameters, "judge" | "metric_version" | "date_from" | "date_to" | "buckets"> & {
      /** The name of the scores, exactly. */
      readonly metric_name: string;
    };
    readonly reply: readonly ScoreDistributionBucket[];
  };
  /** Follow the scores of one session. */
  readonly getSessionScoreHistory: {
    readonly path: {
      readonly session_id: string;
    };
    readonly query: Pick<QueryParameters, "metric_name" | "judge" | "metric_version" | "limit">;
    readonly reply: readonly SessionScorePoint[];
  };
  /** Compare sessions by their newest score. */
  readonly compareSessionScores: {
    readonly query: Pick<QueryParameters, "judge" | "metric_version" | "offset" | "cursor"> & {
      /** The name of the scores, exactly. */
      readonly metric_name: string;
      /** Default "asc". */
      readonly sort_order?: "asc" | "desc" | undefined;
      /** Default 20. */
      readonly limit?: number | undefined;
    };
    readonly reply: ComparedSessionPage;
  };
  /** Make a metric of one's own. */
  readonly createOwnMetric: {
    readonly query: {
      /** Whether only to say what would become of it, remarks included: nothing is stored. Default false. */
      readonly dry_run?: boolean | undefined;
    };
    readonly body: CustomMetricInput;
    readonly reply: CustomMetric;
    readonly dryRun: CustomMetricDryRun;
  };
  /** List the project's own metrics with their versions, newest first. */
  readonly listOwnMetrics: {
    readonly query: Pick<QueryParameters, "target_type" | "limit" | "offset" | "cursor">;
    readonly reply: CustomMetricSummaryPage;
  };
  /** List metrics to begin with. */
  readonly listGalleryMetrics: {
    readonly query: Pick<QueryParameters, "target_type" | "limit" | "offset" | "cursor">;
    readonly reply: GalleryMetricPage;
  };
  /** Copy a metric of the gallery into the project. */
  readonly copyGalleryMetric: {
    readonly body: GalleryCopyInput;
    readonly reply: CustomMetric;
  };
  /** Make a metric of one's own of another tool's. */
  readonly importOwnMetric: {
    readonly query: {
      /** Whether only to say what would become of it, remarks included: nothing is stored. Default false. */
      readonly dry_run?: boolean | undefined;
    };
    readonly body: CustomMetricImport;
    readonly reply: ImportedMetric;
    readonly dryRun: ImportedMetricDryRun;
  };
  /** Try a metric of one's own on a few traces. */
  readonly previewOwnMetric: {
    readonly query: {
      /** Whether to show messages and likely cost only: no judge is asked. Default false. */
      readonly dry_run?: boolean | undefined;
    };
    readonly body: CustomMetricPreviewInput;
    readonly reply: CustomMetricPreview;
  };
  /** Read a metric of one's own, its newest version or another one. */
  readonly getOwnMetric: {
    readonly path: {
      /** The metric's name: its newest version; or `name@3`: that one. */
      readonly metric_name: string;
    };
    readonly reply: CustomMetric;
  };
  /** Make a new version of a metric of one's own. */
  readonly updateOwnMetric: {
    readonly path: {
      /** The metric's name. */
      readonly metric_name: string;
    };
    readonly query: {
      /** Whether only to say what would become of it, remarks included: nothing is stored. Default false. */
      readonly dry_run?: boolean | undefined;
    };
    readonly body: CustomMetricUpdate;
    readonly reply: CustomMetric;
  };
  /** Make a metric of one's own unavailable for new runs. */
  readonly deleteOwnMetric: {
    readonly path: {
      /** The metric's name. */
      readonly metric_name: string;
    };
  };
  /** Save an evaluation that runs on a schedule. */
  readonly createMonitor: {
    readonly body: MonitorInput;
    readonly reply: MonitorResponse;
  };
  /** List monitors, newest first. */
  readonly listMonitors: {
    readonly query: Pick<QueryParameters, "limit" | "offset" | "cursor"> & {
      readonly status?: "ACTIVE" | "PAUSED" | undefined;
    };
    readonly reply: MonitorResponsePage;
  };
  /** List the runs a monitor made, newest first. */
  readonly listMonitorRuns: {
    readonly path: {
      readonly monitor_id: string;
    };
    readonly query: Pick<QueryParameters, "limit" | "offset" | "cursor">;
    readonly reply: EvalRunPage;
  };
  /** Read a monitor. */
  readonly getMonitor: {
    readonly path: {
      readonly monitor_id: string;
    };
    readonly reply: MonitorResponse;
  };
  /** Change a monitor. */
  readonly updateMonitor: {
    readonly path: {
      readonly monitor_id: string;
    };
    readonly body: MonitorUpdate;
    readonly reply: MonitorResponse;
  };
  /** Delete a monitor; its runs stay. */
  readonly deleteMonitor: {
    readonly path: {
      readonly monitor_id: string;
    };
  };
  /** Stop a monitor from firing. */
  readonly pauseMonitor: {
    readonly path: {
      readonly monitor_id: string;
    };
    readonly reply: MonitorResponse;
  };
  /** Let a paused monitor fire again, its cadence counted from now. */
  readonly resumeMonitor: {
    readonly path: {
      readonly monitor_id: string;
    };
    readonly reply: MonitorResponse;
  };
  /** Run a monitor now. */
  readonly triggerMonitor: {
    readonly path: {
      readonly monitor_id: string;
    };
    readonly reply: EvalRun;
  };
  /** List what became of a monitor's scheduled instants, newest first. */
  readonly listFirings: {
    readonly path: {
      readonly monitor_id: string;
    };
    readonly query: Pick<QueryParameters, "limit" | "offset" | "cursor">;
    readonly reply: FiringPage;
  };
  /** Price the traces of a range by the list as it is now. */
  readonly createRepricing: {
    readonly path: {
      readonly org_id: string;
      readonly project_id: string;
    };
    readonly query: {
      /** Whether only to say what would be looked at. Default false. */
      readonly dry_run?: boolean | undefined;
    };
    readonly body: RepricingInput;
    readonly reply: Repricing;
    readonly dryRun: RepricingEstimate;
  };
  /** List what was repriced of a project, newest first. */
  readonly listRepricings: {
    readonly path: {
      readonly org_id: string;
      readonly project_id: string;
    };
    readonly query: Pick<QueryParameters, "limit" | "offset" | "cursor">;
    readonly reply: RepricingPage;
  };
  /** List the projects that the caller reaches, newest first. */
  readonly listReachableProjects: {
    readonly query: Pick<QueryParameters, "limit" | "offset" | "cursor">;
    readonly reply: ReachableProjectPage;
  };
  /** Read who is asking. */
  readonly getMe: {
    readonly reply: User;
  };
  /** Remove the caller from the service. */
  readonly deleteMe: {};
  /** List the pending invitations to the caller's e-mail address, newest first. */
  readonly listMyInvitations: {
    readonly query: Pick<QueryParameters, "cursor"> & {
      readonly limit?: number | undefined;
      readonly offset?: number | undefined;
    };
    readonly reply: readonly Invitation[] | InvitationPage;
  };
  /** List the receipts of organizations that the caller deleted, newest first. */
  readonly listMyDeletions: {
    readonly query: Pick<QueryParameters, "limit" | "offset" | "cursor">;
    readonly reply: DeletionPage;
  };
  /** Become a member of the organization that invites. */
  readonly acceptInvitation: {
    readonly path: {
      readonly invitation_id: string;
    };
    readonly reply: Membership;
  };
  /** Turn an invitation down. */
  readonly declineInvitation: {
    readonly path: {
      readonly invitation_id: string;
    };
  };
  /** Make an organization that the caller owns, with a project named onboarding. */
  readonly createOrganization: {
    readonly body: OrganizationInput;
    readonly reply: Organization;
  };
  /** List the caller's organizations, the newest membership first. */
  readonly listOrganizations: {
    readonly query: Pick<QueryParameters, "cursor"> & {
      readonly limit?: number | undefined;
      readonly offset?: number | undefined;
    };
    readonly reply: readonly OwnOrganization[] | OwnOrganizationPage;
  };
  /** Read an organization. */
  readonly getOrganization: {
    readonly path: {
      readonly org_id: string;
    };
    readonly reply: OwnOrganization;
  };
  /** Rename an organization, and say who may make API keys. */
  readonly updateOrganization: {
    readonly path: {
      readonly org_id: string;
    };
    readonly body: OrganizationUpdate;
    readonly reply: Organization;
  };
  /** Delete an organization and everything of it. */
  readonly deleteOrganization: {
    readonly path: {
      readonly org_id: string;
    };
  };
  /** List the members of an organization, the oldest membership first. */
  readonly listMembers: {
    readonly path: {
      readonly org_id: string;
    };
    readonly query: Pick<QueryParameters, "cursor"> & {
      readonly limit?: number | undefined;
      readonly offset?: number | undefined;
    };
    readonly reply: readonly Membership[] | MembershipPage;
  };
  /** Give a member another role. */
  readonly updateMember: {
    readonly path: {
      readonly org_id: string;
      readonly user_id: string;
    };
    readonly body: MemberUpdate;
    readonly reply: Membership;
  };
  /** Remove a member, or leave. */
  readonly removeMember: {
    readonly path: {
      readonly org_id: string;
      readonly user_id: string;
    };
    readonly query: {
      /** What becomes of the API keys that the member made otherwise than by signing in. Default "keep". */
      readonly keys?: "keep" | "revoke" | undefined;
    };
    readonly report: MemberRemoval;
  };
  /** Invite somebody by e-mail. */
  readonly createInvitation: {
    readonly path: {
      readonly org_id: string;
    };
    readonly body: InvitationInput;
    readonly reply: Invitation;
  };
  /** List an organization's invitations, whatever became of them, newest first. */
  readonly listInvitations: {
    readonly path: {
      readonly org_id: string;
    };
    readonly query: Pick<QueryParameters, "cursor"> & {
      readonly limit?: number | undefined;
      readonly offset?: number | undefined;
    };
    readonly reply: readonly Invitation[] | InvitationPage;
  };
  /** Take a pending invitation back. */
  readonly revokeInvitation: {
    readonly path: {
      readonly org_id: string;
      readonly invitation_id: string;
    };
  };
  /** Make a project. */
  readonly createProject: {
    readonly path: {
      readonly org_id: string;
    };
    readonly body: ProjectInput;
    readonly reply: Project;
  };
  /** List an organization's projects, newest first. */
  readonly listProjects: {
    readonly path: {
      readonly org_id: string;
    };
    readonly query: Pick<QueryParameters, "cursor"> & {
      readonly limit?: number | undefined;
      readonly offset?: number | undefined;
    };
    readonly reply: readonly Project[] | ProjectPage;
  };
  /** Read a project. */
  readonly getProject: {
    readonly path: {
      readonly org_id: string;
      readonly project_id: string;
    };
    readonly reply: Project;
  };
  /** Change a project's name, description or declared metadata keys. */
  readonly updateProject: {
    readonly path: {
      readonly org_id: string;
      readonly project_id: string;
    };
    readonly body: ProjectUpdate;
    readonly reply: Project;
  };
  /** Delete a project and everything in it. */
  readonly deleteProject: {
    readonly path: {
      readonly org_id: string;
      readonly project_id: string;
    };
  };
  /** Make an API key. */
  readonly createApiKey: {
    readonly path: {
      readonly org_id: string;
    };
    readonly body: ApiKeyInput;
    readonly reply: ApiKey;
  };
  /** List an organization's API keys, revoked ones too, newest first. */
  readonly listApiKeys: {
    readonly path: {
      readonly org_id: string;
    };
    readonly query: Pick<QueryParameters, "cursor"> & {
      readonly limit?: number | undefined;
      readonly offset?: number | undefined;
    };
    readonly reply: readonly ApiKey[] | ApiKeyPage;
  };
  /** Read what is known of an API key. */
  readonly getApiKey: {
    readonly path: {
      readonly org_id: string;
      readonly key_id: string;
    };
    readonly reply: ApiKey;
  };
  /** Make a new key of the same name for 90 days; the old one stays valid. */
  readonly rotateApiKey: {
    readonly path: {
      readonly org_id: string;
      readonly key_id: string;
    };
    readonly reply: ApiKey;
  };
  /** Revoke an API key; with permanent=true the record of it goes too. */
  readonly deleteApiKey: {
    readonly path: {
      readonly org_id: string;
      readonly key_id: string;
    };
    readonly query: {
      /** Default false. */
      readonly permanent?: boolean | undefined;
    };
  };
  /** List what was done to an organization, its members, invitations, projects and keys, and what was deleted, newest first. */
  readonly listAuditEvents: {
    readonly path: {
      readonly org_id: string;
    };
    readonly query: Pick<QueryParameters, "limit" | "offset" | "cursor">;
    readonly reply: AuditEventPage;
  };
  /** List the receipts of deleted projects, newest first. */
  readonly listDeletions: {
    readonly path: {
      readonly org_id: string;
    };
    readonly query: Pick<QueryParameters, "limit" | "offset" | "cursor">;
    readonly reply: DeletionPage;
  };
  /** Make the code that signs a command line in. */
  readonly createCliCode: {
    readonly body: CliCodeInput;
    readonly reply: CliCode;
  };
  /** Exchange a code for an API key that is good for 90 days. */
  readonly exchangeCliCode: {
    readonly body: CliExchangeInput;
    readonly reply: CliKey;
  };
  /** List the plans: one, which costs nothing. */
  readonly listPlans: {
    readonly reply: readonly Plan[];
  };
  /** Read an organization's subscription: the one plan, in this month. */
  readonly getSubscription: {
    readonly path: {
      readonly org_id: string;
    };
    readonly reply: Subscription;
  };
  /** Count what an organization did in this month. */
  readonly getUsage: {
    readonly path: {
      readonly org_id: string;
    };
    readonly reply: Usage;
  };
  /** Read what this month costs: nothing, whatever was counted. */
  readonly getBilling: {
    readonly path: {
      readonly org_id: string;
    };
    readonly reply: Billing;
  };
  /** List invoices: there are none, since nothing is charged. */
  readonly listInvoices: {
    readonly path: {
      readonly org_id: string;
    };
    readonly query: {
      /** Default 12. */
      readonly limit?: number | undefined;
    };
    readonly reply: readonly Invoice[];
  };
  /** Choose another plan: there is none, which is 404. */
  readonly openCheckout: {
    readonly path: {
      readonly org_id: string;
    };
    readonly reply: {
      readonly checkout_url: string;
    };
  };
  /** Manage payment: there is none, which is 404. */
  readonly openPortal: {
    readonly path: {
      readonly org_id: string;
    };
    readonly reply: {
      readonly portal_url: string;
    };
  };
}
