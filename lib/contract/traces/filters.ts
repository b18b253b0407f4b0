import * as v from "valibot";
import type { SearchedTraceFilters, TraceFilters } from "../../domain/traces/filter.ts";
import { maxWords, parseTextQuery } from "../../domain/traces/search/text-query.ts";
import { traceStatuses } from "../../domain/traces/trace.ts";
import { closedObject } from "../schema/closed-object.ts";
import {
  dictionaryOf,
  instant,
  unparsedInstant,
  listOf,
  numberBetween,
  singleValue,
  oneOf,
  tags,
  text,
} from "../schema/fields.ts";
import { resolveStartAliases, startAliases, amountText, booleanText, namesOf } from "../list-query.ts";
import { describedAs } from "../schema/json-schema.ts";
import { missingScores, scoreConditions } from "../score-conditions.ts";

const startDescriptions = {
  from: "Start of the range of trace start times, inclusive.",
  to: "End of the range of trace start times, exclusive.",
};
const nameDescription = "Part of the name; case and accents do not matter.";

/** Descriptions of trace filters that bodies and queries share. */
const filterDescriptions = {
  has_error:
    "True: traces with the status ERROR or a failed span, as `has_failed_span` says by its name; false: all others. Of sessions, users and " +
    "the analytics of traces and sessions an error is a trace with the status ERROR.",
  has_failed_span: "True: traces with the status ERROR or a failed span; false: all others.",
  latency: "Latency in milliseconds, inclusive; traces that have not ended do not match.",
  cost: "Total cost of the spans in US dollars, inclusive.",
  tokens: "Total prompt and completion tokens of the spans, inclusive.",
  model:
    "Model of one of the spans, exact match; only the first 16 models of a trace and the first 1,000 of a project are indexed.",
  tool: "Name of one of the TOOL spans, exact match; only the first 32 tools of a trace and the first 1,000 of a project are indexed.",
  release: "Release, exact match.",
  environment: "Environment, exact match.",
  has_session: "True: traces with a `session_id`; false: traces without.",
  prompt_name: "Name of a prompt that a span used, exact match; only the first 16 prompts of a trace are indexed.",
  prompt_version: "Version of a prompt that a span used, exact match; beside `prompt_name` the version of that prompt.",
  experiment: "Name of the experiment, or its id if it has no name, exact match.",
  experiment_item_id: "Item of the experiment, exact match.",
  first_error: "The `first_error` of a trace in a list, exact match.",
  metadata:
    "Metadata values by key, exact match, for keys that the project declares in `metadata_keys`; values other than text match as JSON.",
} as const;

const amountFilter = (words: string) =>
  v.nullish(v.pipe(numberBetween(0, Number.MAX_SAFE_INTEGER), v.description(words)));
const labelFilter = (words: string, longest = 255) => v.nullish(v.pipe(text(longest), v.description(words)));
/** Schema of a boolean filter in bodies. */
export const booleanFilter = (words: string) =>
  v.nullish(v.pipe(v.boolean("Input should be a valid boolean"), v.description(words)));

/** Maximum characters of a metadata value in a filter. */
const maxMetadataValueLength = 128;

/** Schema of the metadata filter in bodies: values by metadata key. */
export const metadataFilter = v.pipe(
  dictionaryOf(text(maxMetadataValueLength)),
  v.description(filterDescriptions.metadata),
);

const amountQuery = (words: string) => v.optional(singleValue(v.pipe(amountText, v.description(words))));
const labelQuery = (words: string, longest = 255) =>
  v.optional(singleValue(v.pipe(text(longest), v.description(words))));
/** Schema of a boolean filter in queries. */
export const booleanQuery = (words: string) => v.optional(singleValue(v.pipe(booleanText, v.description(words))));

/** Schema of the metadata filter in queries: `metadata.<key>=<value>`, once per key. */
const metadataParameters = v.pipe(
  v.record(v.string(), singleValue(text(maxMetadataValueLength))),
  describedAs({
    type: "object",
    additionalProperties: { type: "string", maxLength: maxMetadataValueLength },
    description: `Parameters \`metadata.<key>=<value>\` or \`metadata[<key>]=<value>\`, one per key. ${filterDescriptions.metadata}`,
  }),
);

/** Schemas of the trace filters in bodies, except the date range. */
export const traceFilterFieldsWithoutDates = {
  status: v.nullish(oneOf(traceStatuses)),
  session_id: v.nullish(text(255)),
  user_id: v.nullish(text(255)),
  tags: v.nullish(v.pipe(tags, v.description("Traces with any of these tags."))),
  name: v.nullish(v.pipe(text(512), v.description(nameDescription))),
  has_error: booleanFilter(filterDescriptions.has_error),
  has_failed_span: booleanFilter(filterDescriptions.has_failed_span),
  min_latency_ms: amountFilter(filterDescriptions.latency),
  max_latency_ms: amountFilter(filterDescriptions.latency),
  min_cost: amountFilter(filterDescriptions.cost),
  max_cost: amountFilter(filterDescriptions.cost),
  min_tokens: amountFilter(filterDescriptions.tokens),
  max_tokens: amountFilter(filterDescriptions.tokens),
  model: labelFilter(filterDescriptions.model),
  tool: labelFilter(filterDescriptions.tool, 512),
  release: labelFilter(filterDescriptions.release),
  environment: labelFilter(filterDescriptions.environment),
  has_session: booleanFilter(filterDescriptions.has_session),
  prompt_name: labelFilter(filterDescriptions.prompt_name),
  prompt_version: labelFilter(filterDescriptions.prompt_version),
  experiment: labelFilter(filterDescriptions.experiment),
  experiment_item_id: labelFilter(filterDescriptions.experiment_item_id),
  first_error: labelFilter(filterDescriptions.first_error),
  metadata: v.nullish(metadataFilter),
  score: v.nullish(scoreConditions),
  no_score: v.nullish(missingScores),
};

/** Schemas of the trace filters in bodies. */
export const traceFilterFields = {
  date_from: v.nullish(v.pipe(unparsedInstant, v.description(startDescriptions.from))),
  date_to: v.nullish(v.pipe(unparsedInstant, v.description(startDescriptions.to))),
  ...traceFilterFieldsWithoutDates,
} satisfies Record<keyof TraceFilters, v.GenericSchema>;

/** Schema of words and phrases, kept as sent. */
export const textQuery = v.pipe(
  text(256),
  v.check(
    (query) => parseTextQuery(query).flaw === null,
    ({ input }) => parseTextQuery(input).flaw ?? "",
  ),
  v.description(
    'Words that all occur, and "phrases" in quotation marks, in inputs (arguments of tools among them), outputs and errors of the trace and its ' +
      "spans; a phrase lies within one text. Case, accents and punctuation do not matter; keys of JSON are not searched. Escapes in JSON within a longer text are read as they stand. Words are whole; of scripts " +
      `without spaces (Chinese, Japanese, Korean, Thai) any sequence is found. At most ${maxWords} words. A page of a list searches at most 5,000 of ` +
      "the traces that the other filters select, 1.5 read units each up to 12 KB compressed, and ends after about 3 s: an empty one may have a " +
      "`next_cursor`, which goes on. Where days have an index of words (closed ones with files, past hours of a large one) only texts that have all words are read, but not by monitors. A run or monitor for which more would have to be read is refused; one whose texts are not read within 12 s gets 503 and can be tried again, as a monitor does.",
  ),
);

/** Schema of the trace filters of gates and alert rules, in bodies: `traceFilters` without the search for words. */
export const rowFilters = v.pipe(
  closedObject({ ...traceFilterFields, ...startAliases }),
  v.transform(resolveStartAliases),
  v.title("RowFilters"),
  v.description("`TraceFilters` without `q`, which must all match; an empty object matches all traces."),
) satisfies v.GenericSchema<unknown, TraceFilters>;

/** Schemas of the trace filters of runs and monitors. */
export const searchedFilterFields = {
  ...traceFilterFields,
  q: v.nullish(textQuery),
} satisfies Record<keyof SearchedTraceFilters, v.GenericSchema>;

/**
 * Schema of trace filters in bodies. Values are kept as sent, and filters that are null are dropped. Unknown keys are refused,
 * because a misspelt filter would match everything and cost money.
 */
export const traceFilters = v.pipe(
  closedObject({ ...searchedFilterFields, ...startAliases }),
  v.transform(resolveStartAliases),
  v.title("TraceFilters"),
  v.description(
    "Trace filters, which must all match. A filter that is null is ignored; an empty object matches all traces.",
  ),
) satisfies v.GenericSchema<unknown, SearchedTraceFilters>;

/** Query parameter of the search for words. */
export const textSearchQuery = { q: v.optional(singleValue(textQuery)) };

/** Query parameter of each trace filter, except the date range. */
export const traceFilterParametersWithoutDates = namesOf(traceFilterFieldsWithoutDates);

/** Query parameter of each trace filter. */
export const traceFilterParameters = {
  date_from: "started_after",
  date_to: "started_before",
  ...traceFilterParametersWithoutDates,
} as const satisfies Record<keyof TraceFilters, string>;

/** Schemas of the trace filters in queries, except the date range. */
export const traceFilterQueryWithoutDates = {
  user_id: v.optional(singleValue(text(255))),
  /** The parameter can be repeated: `tags=a&tags=b`. */
  tags: v.optional(
    v.pipe(
      listOf(text(255), 100),
      v.description("Traces with any of these tags; repeat the parameter for several tags."),
    ),
  ),
  session_id: v.optional(singleValue(text(255))),
  status: v.optional(singleValue(oneOf(traceStatuses))),
  name: v.optional(singleValue(v.pipe(text(512), v.description(nameDescription)))),
  has_error: booleanQuery(filterDescriptions.has_error),
  has_failed_span: booleanQuery(filterDescriptions.has_failed_span),
  min_latency_ms: amountQuery(filterDescriptions.latency),
  max_latency_ms: amountQuery(filterDescriptions.latency),
  min_cost: amountQuery(filterDescriptions.cost),
  max_cost: amountQuery(filterDescriptions.cost),
  min_tokens: amountQuery(filterDescriptions.tokens),
  max_tokens: amountQuery(filterDescriptions.tokens),
  model: labelQuery(filterDescriptions.model),
  tool: labelQuery(filterDescriptions.tool, 512),
  release: labelQuery(filterDescriptions.release),
  environment: labelQuery(filterDescriptions.environment),
  has_session: booleanQuery(filterDescriptions.has_session),
  prompt_name: labelQuery(filterDescriptions.prompt_name),
  prompt_version: labelQuery(filterDescriptions.prompt_version),
  experiment: labelQuery(filterDescriptions.experiment),
  experiment_item_id: labelQuery(filterDescriptions.experiment_item_id),
  first_error: labelQuery(filterDescriptions.first_error),
  metadata: v.optional(metadataParameters),
  score: v.optional(scoreConditions),
  no_score: v.optional(missingScores),
} satisfies Record<keyof typeof traceFilterFieldsWithoutDates, v.GenericSchema>;

/** Schemas of the trace filters in queries about users and in those of analytics, except the date range. */
export const analyticsFilterQuery = {
  ...traceFilterQueryWithoutDates,
  has_error: booleanQuery(
    "True: traces with the status ERROR; false: all others. `has_failed_span` also counts failed spans.",
  ),
};

/** Schemas of the date range of trace filters in queries. */
export const traceRangeQuery = {
  started_after: v.optional(singleValue(v.pipe(instant, v.description(startDescriptions.from)))),
  started_before: v.optional(singleValue(v.pipe(instant, v.description(startDescriptions.to)))),
};

/** Schemas of the trace filters in queries. */
export const traceFilterQuery = {
  ...traceRangeQuery,
  ...traceFilterQueryWithoutDates,
} satisfies Record<(typeof traceFilterParameters)[keyof TraceFilters], v.GenericSchema>;
