/** Types of columns, as SQL, and the values that rows have for them. */
interface ColumnTypes {
  readonly VARCHAR: string;
  readonly BOOLEAN: boolean;
  readonly INTEGER: number;
  /** A 64-bit integer; its text if it exceeds the safe integers. */
  readonly BIGINT: number | string;
  readonly DOUBLE: number;
  /** An instant with microseconds. */
  readonly TIMESTAMPTZ: string;
  readonly "VARCHAR[]": readonly string[];
  readonly "MAP(VARCHAR, VARCHAR)": Readonly<Record<string, string | null>>;
  readonly "STRUCT(name VARCHAR, version VARCHAR)[]": readonly {
    readonly name: string | null;
    readonly version: string | null;
  }[];
  readonly "STRUCT(hour TIMESTAMPTZ, model VARCHAR, calls INTEGER, prompt_tokens BIGINT, completion_tokens BIGINT, cost_usd DOUBLE)[]": readonly {
    readonly hour: string;
    readonly model: string | null;
    readonly calls: number;
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly cost_usd: number;
  }[];
}

type Columns = Readonly<Record<string, keyof ColumnTypes>>;

/** A table of the lake: the files of all days have the same columns. */
interface LakeTable {
  /** Columns by name, in their order. A column is added at the end, and never renamed or retyped. */
  readonly columns: Columns;
  /** Columns by which the rows of a file are sorted. */
  readonly sort: readonly string[];
}

/**
 * The tables of the lake. Each has files for each project and UTC day on which traces started. `row` is the number of a trace
 * among those of its day, by start and then by id, from 0: it joins the tables of a day, as a trace id takes half of a row's bytes.
 */
export const lakeTables = {
  /** One row per trace. */
  traces: {
    columns: {
      row: "INTEGER",
      trace_id: "VARCHAR",
      started_at: "TIMESTAMPTZ",
      ended_at: "TIMESTAMPTZ",
      name: "VARCHAR",
      /** The name without case and accents, as searches compare it. */
      folded_name: "VARCHAR",
      status: "VARCHAR",
      session_id: "VARCHAR",
      user_id: "VARCHAR",
      environment: "VARCHAR",
      release: "VARCHAR",
      tags: "VARCHAR[]",
      latency_ms: "DOUBLE",
      /** US dollars as in replies. Sums of doubles depend on their order. */
      cost_usd: "DOUBLE",
      /** Billionths of a US dollar, rounded: their sum is the same in any order. */
      cost_nano_usd: "BIGINT",
      tokens: "BIGINT",
      unpriced_tokens: "BIGINT",
      spans: "INTEGER",
      /** Spans that failed; null for a trace of early versions. */
      failed_spans: "INTEGER",
      first_error: "VARCHAR",
      models: "VARCHAR[]",
      tools: "VARCHAR[]",
      prompts: "STRUCT(name VARCHAR, version VARCHAR)[]",
      experiment: "VARCHAR",
      experiment_id: "VARCHAR",
      experiment_item_id: "VARCHAR",
      dataset: "VARCHAR",
      /** Values of the metadata keys that the project has declared. */
      metadata: "MAP(VARCHAR, VARCHAR)",
      /** First characters of the input. */
      preview: "VARCHAR",
      arrived_at: "TIMESTAMPTZ",
      changed_at: "TIMESTAMPTZ",
      /** Instant from which the trace no longer exists; null if it is kept. */
      expires_at: "TIMESTAMPTZ",
      /** Start of the first span, and of the one that started last; null without spans. */
      first_span_at: "TIMESTAMPTZ",
      last_span_at: "TIMESTAMPTZ",
      /** Usage by the UTC hour in which spans started, and model; null without spans, and if its numbers are only in the trace. */
      usage:
        "STRUCT(hour TIMESTAMPTZ, model VARCHAR, calls INTEGER, prompt_tokens BIGINT, completion_tokens BIGINT, cost_usd DOUBLE)[]",
    },
    sort: ["started_at", "trace_id"],
  },
  /** One row per score of a trace. */
  scores: {
    columns: {
      row: "INTEGER",
      trace_id: "VARCHAR",
      trace_started_at: "TIMESTAMPTZ",
      score_id: "VARCHAR",
      name: "VARCHAR",
      value: "VARCHAR",
      /** The value as a number; null for categories, failures and scores that do not apply. */
      number: "DOUBLE",
      data_type: "VARCHAR",
      status: "VARCHAR",
      source: "VARCHAR",
      applicable: "BOOLEAN",
      passed: "BOOLEAN",
      /** `person` or `program`. */
      giver: "VARCHAR",
      /** True for the newest successful score of the name by this giver. */
      is_newest: "BOOLEAN",
      /** True for the one score of the name that counts: the newest of a person, or of a program about newer content. */
      counts: "BOOLEAN",
      /** Version of the trace that the score is about; null if it is unknown. */
      version: "BIGINT",
      judge: "VARCHAR",
      metric_version: "INTEGER",
      run_id: "VARCHAR",
      span_id: "VARCHAR",
      reason: "VARCHAR",
      created_at: "TIMESTAMPTZ",
      updated_at: "TIMESTAMPTZ",
      /** Internal id of the trace: another one after the trace was deleted and sent again. */
      incarnation: "VARCHAR",
    },
    sort: ["row", "name", "created_at", "score_id"],
  },
  /**
   * One row per span, and one per trace, which has no `span_id`: its name, times, status, input, output and metadata. Rows of a trace are
   * neighbours, the trace first. Tokens and costs are those that the trace's totals count: 0 and null for a span that repeats those of others.
   */
  spans: {
    columns: {
      trace_id: "VARCHAR",
      trace_started_at: "TIMESTAMPTZ",
      span_id: "VARCHAR",
      parent_span_id: "VARCHAR",
      name: "VARCHAR",
      kind: "VARCHAR",
      status: "VARCHAR",
      error: "VARCHAR",
      model: "VARCHAR",
      started_at: "TIMESTAMPTZ",
      ended_at: "TIMESTAMPTZ",
      completion_start_time: "TIMESTAMPTZ",
      prompt_tokens: "BIGINT",
      completion_tokens: "BIGINT",
      cost_usd: "DOUBLE",
      cost_nano_usd: "BIGINT",
      /** JSON, as all columns below. */
      input: "VARCHAR",
      output: "VARCHAR",
      metadata: "VARCHAR",
      model_parameters: "VARCHAR",
      token_usage: "VARCHAR",
    },
    sort: [],
  },
  /**
   * The index of words: one row per distinct word and start of a trace, in parts of a day. The start, because rows are numbered anew when a
   * day is written again.
   */
  words: {
    columns: { word: "VARCHAR", started_at: "TIMESTAMPTZ" },
    sort: ["word", "started_at"],
  },
} as const satisfies Readonly<Record<string, LakeTable>>;

/** Columns of a line with the words of a trace, of which the index is made. */
export const wordLineColumns = { started_at: "TIMESTAMPTZ", words: "VARCHAR[]" } as const;

export type LakeTableName = keyof typeof lakeTables;

/** A row as it is written: every column has a value or null. */
export type LakeRow<Name extends LakeTableName> = {
  readonly [Column in keyof (typeof lakeTables)[Name]["columns"]]:
    | ((typeof lakeTables)[Name]["columns"][Column] extends infer Type extends keyof ColumnTypes
        ? ColumnTypes[Type]
        : never)
    | null;
};

/** Returns the names and types of a table's columns, in their order. */
export const columnsOf = (table: LakeTableName): readonly (readonly [name: string, type: string])[] =>
  Object.entries(lakeTables[table].columns);

/** True if a file that was written with a number of columns has a column: each is added at the end. */
export const hasColumn = <Name extends LakeTableName>(
  table: Name,
  column: keyof (typeof lakeTables)[Name]["columns"],
  columns: number,
): boolean => columnsOf(table).findIndex(([name]) => name === column) < columns;

/** Tables of a day that one pass over its rows and scores writes. */
export const rowTables = ["traces", "scores"] as const;

/** Tables of a day that its documents become, part by part. */
export const documentTables = ["words", "spans"] as const;

/** Tables that exports have. */
export const exportedTables = [...rowTables, "spans"] as const;
