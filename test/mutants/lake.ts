import { mutantsOf, type Mutant } from "./mutant.ts";

const [dayTests, dueTests, openTests, wordTests, spanTests, listTests] = [
  ["test/store/lake/day-writer.test.ts"],
  ["test/store/lake/write-due-days.test.ts"],
  ["test/store/lake/open-day.test.ts"],
  ["test/store/slow/lake/words.test.ts"],
  ["test/store/lake/spans.test.ts"],
  ["test/store/lake/file-lists.test.ts"],
] as const;

/** Mutants of the files of closed days and of their export. */
export const lake: readonly Mutant[] = [
  ...mutantsOf("lib/lake/day-writer.ts", dayTests, {
    "the minutes in which a day is closing": [
      "readAt < manifest.since + closingMilliseconds",
      "readAt < manifest.since",
    ],
    "the deletion of the files before": ["await remove(manifest, written);", ""],
    "keeping the marks that an index of scores may not have": ["at < readAt - indexLag", "at < readAt + indexLag"],
  }),
  ...mutantsOf("lib/lake/day-writer.ts", dueTests, {
    "writing a day again when a trace has expired": [" && !hasExpired", ""],
    "writing a day from its rows when a file is lost": [" && (await download(rewriting.before.files, before))", ""],
    "the deletion of snapshots that are old": ["writtenAt(key) < oldest", "writtenAt(key) < 0"],
  }),
  ...mutantsOf("lib/lake/day-files.ts", dueTests, {
    "leaving out what has expired": ['table === "traces" ? unexpired(previous.now)', "table === null ? unexpired(0)"],
  }),
  ...mutantsOf("lib/lake/write-due-days.ts", dueTests, {
    "leaving out small projects": ["< minWrittenTraces) return false", "< 0) return false"],
    "the wait for the end of a day": ["endOfDay(day) + endingMilliseconds <= now()", "day !== null"],
    "the snapshot for an export": ["const isSnapshot = isAsked &&", "const isSnapshot = !isAsked &&"],
    "the pass after an expiry": ["if (expiresAt !== null) await", "if (expiresAt === 0) await"],
    "looking for what a dead writer has left": ["if (isRetaken) await", "if (project === null) await"],
  }),
  ...mutantsOf("lib/lake/write-due-days.ts", openTests, {
    "the traces of a further part of an open day's index": [">= minIndexed ? to : null", ">= 0 ? to : null"],
    "the index of a day that is too large for files": ["<= now() && !hasNoFiles;", "<= now();"],
  }),
  ...mutantsOf("lib/lake/parts/day-parts-writer.ts", openTests, {
    "the minutes in which hours are closing": ["if (now() < readableAt) return readableAt;", ""],
    "keeping the marks of hours whose part stays": ["startedAt >= read && startedAt < to", "startedAt < to"],
    "writing the index of an open day again after a pass": ["at < lastPass(now())", "at < 0"],
  }),
  ...mutantsOf("lib/lake/day-writer.ts", openTests, {
    "keeping the index of an open day when it is closed": [" || rewriting?.before.files.length === 0", ""],
  }),
  ...mutantsOf("lib/store/lake/closed-days.ts", openTests, {
    "the marks of an open day": ["end: manifest?.end ?? null", "end: null"],
  }),
  ...mutantsOf("lib/stream/lake-changes.ts", openTests, {
    "leaving out marks of scores of an open day": ['isWhole || kind === "traces"', "kind !== null"],
    "making an open day due by the hour": ["if (isIndexed && kind", "if (!isIndexed && kind"],
  }),
  ...mutantsOf("lib/store/lake/due-days.ts", dueTests, {
    "the lease of a due day": ['"SET #lease = :lease, #until = :until"', '"SET #lease = :lease, #last = :until"'],
    "the end of a writer's lease": ["until === undefined || until <= at", "until === undefined"],
    "keeping a day that is asked for while it is being written": ["{ when: ifAbsent }", "{}"],
  }),
  ...mutantsOf("lib/lake/word-files.ts", wordTests, {
    "all words of a search": ["(word <> ${anyWord}) = ${words.length}", "(word <> ${anyWord}) >= 1"],
    "leaving out words of traces that have gone": [
      " IN (SELECT ${new Sql(column)}",
      " NOT IN (SELECT ${new Sql(column)}",
    ],
  }),
  ...mutantsOf("lib/lake/word-index.ts", wordTests, {
    "finding changed traces that no index has": ["[...hits, ...marked]", "[...hits]"],
    "the end of a lookup": ["isWhole: candidates.length <= maxInstants", "isWhole: candidates.length >= 0"],
  }),
  ...mutantsOf("lib/lake/word-index.ts", openTests, {
    "the documents behind the end of an index": ["last < endOfParts(day, words) ? words", "words.length > 0 ? words"],
    "the documents of the instant at which an index ends": ["last < endOfParts", "last <= endOfParts"],
  }),
  ...mutantsOf("lib/store/traces/search/whole-search.ts", ["test/store/traces/search.test.ts"], {
    "the texts that all pages of a run's search may read": ["checkDocuments(documents);", ""],
  }),
  ...mutantsOf("lib/lake/parts/part-writer.ts", wordTests, {
    "writing changed parts again": ["changed.length === 0 && !changes.hasExpired", "changed.length >= 0"],
  }),
  ...mutantsOf("lib/lake/day-writer.ts", wordTests, {
    "keeping parts that did not change": [".filter((key) => !keptKeys.has(key))", ""],
  }),
  ...mutantsOf("lib/lake/day-writer.ts", spanTests, {
    "remembering that an export has asked for the spans of a day": [
      "isBegun ? manifest : await manifests.publish(manifest, { spans: [] })",
      "isBegun ? manifest : { ...manifest, spans: [] }",
    ],
    "leaving out spans that no export has asked for": ["spans: hasSpans ? [] : null", "spans: []"],
  }),
  ...mutantsOf("lib/lake/parts/document-lines.ts", spanTests, {
    "the spans of documents that are read one at a time": [
      'state.kind === "stored" ? lakeSpanRows(state.trace)',
      "state.kind === null ? []",
    ],
  }),
  ...mutantsOf("lib/lake/parts/span-files.ts", spanTests, {
    "leaving out spans of traces that have expired": [
      "isTraceOf(previous,",
      "isTraceOf({ ...previous, traces: null },",
    ],
    "leaving out earlier spans of traces that have changed": [
      'unchanged("trace_started_at", previous.changed)',
      'unchanged("trace_started_at", [])',
    ],
  }),
  ...mutantsOf("lib/lake/export-days.ts", spanTests, {
    "counting the spans of a file": ["rows === wanted", "rows >= 0"],
  }),
  ...mutantsOf("lib/store/lake/changes.ts", wordTests, {
    "the mark of a trace whose scores change later": ['"if_not_exists(#scoresOnly, :scoresOnly)"', '":scoresOnly"'],
  }),
  ...mutantsOf("lib/domain/traces/search/word-index.ts", wordTests, {
    "pairs of characters": ["? [...characters, ...pairsOf(characters)]", "? characters"],
  }),
  ...mutantsOf("lib/store/traces/search/indexed-rows.ts", wordTests, {
    "a cursor within an indexed day": ["Buffer.compare(row.key, startKey) < 0", "row.key !== startKey"],
  }),
  ...mutantsOf("lib/store/traces/lists/scan-with-files.ts", listTests, {
    "the rows of traces that have changed since the files were written": [
      "scan.at(project, files?.changed ?? [], reading, visit)",
      "scan.at(project, [], reading, visit)",
    ],
    "reading changed rows once when there is no answer of the files": [
      "if (!changed.has(trace.startedAt)) visit",
      "visit",
    ],
  }),
  ...mutantsOf("lib/lake/sessions/session-sql.ts", listTests, {
    "the shares of sessions": ['shardSql("session_id", of)} = ${index}', 'shardSql("session_id", of)} >= 0'],
    "leaving sessions with rows out of those of files": ['sql`NOT ${inIds("id", ids)}`', "sql`true`"],
    "a filter of sessions": ["`has_failed_span = ${expected}", "`has_failed_span IS NOT NULL"],
    "the user of a session's earliest trace": ["first(user_id ORDER BY started_at, row)", "first(user_id)"],
    "sessions with rows in figures of hours": ['CASE WHEN ${inIds("id", ids)} THEN id END', "NULL"],
    "ids that SQL folds otherwise": ['OR ${inIds("id", foldedIds)}', ""],
  }),
  ...mutantsOf("lib/store/traces/lists/list.ts", listTests, {
    "dropping traces that do not match any more": ["matches(trace) && rows.set", "rows.set"],
    "the end of a list whose time is over": ["end === null || compare(item, end) < 0", "end === null || item !== end"],
  }),
  ...mutantsOf("lib/lake/trace-list.ts", listTests, {
    "leaving changed traces out of files and sums": [
      "if (changed.length > 0) tests.push",
      "if (changed.length < 0) tests.push",
    ],
  }),
  ...mutantsOf("lib/lake/trace-sums.ts", listTests, {
    "reading usage that a bound cuts from documents": ["${lastHour !== to} AND", "${lastHour === from} AND"],
    "errors of analytics and users by status": ["(status = 'ERROR') = ${hasError}", "true"],
  }),
  ...mutantsOf("lib/lake/day-writer.ts", listTests, {
    "writing a day from its rows when its files lack columns": ["isRewriting && hasColumns === true", "isRewriting"],
  }),
  ...mutantsOf("lib/lake/trace-sums.ts", ["test/unit/lake/sums.test.ts"], {
    "exact sums of usage": ["part.cost_usd * pow(2, 90)", "part.cost_usd * pow(2, 60)"],
    "exact latencies of an hour": ["count(micros) <= ${maxExactPerHour}", "count(micros) < ${maxExactPerHour}"],
    "costs of users": ["round(cost_usd * ${costScale}::DOUBLE)", "round(cost_usd * 1e9) * 1000"],
  }),
  ...mutantsOf("lib/domain/analytics/trace-figures.ts", ["test/unit/lake/sums.test.ts"], {
    "exact latencies of an hour from rows and files": ["...parts], maxExactPerHour)", "...parts])"],
  }),
  ...mutantsOf("lib/lake/file-days.ts", listTests, {
    "files without usage": ['fileOf(files, "traces")?.columns ?? 0', "99"],
    "files without incarnations": ['fileOf(files, "scores")?.columns ?? 0', "99"],
    "scores of changed traces in figures": ['scores !== null || need === "scores"', "scores !== null"],
    "reading a day with many changes from rows": ["view.changed.length * tracesPerChange <=", "0 * tracesPerChange <="],
  }),
  ...mutantsOf("lib/lake/engine.ts", listTests, {
    "a byte order mark at the beginning of a text": ["ignoreBOM: true", "ignoreBOM: false"],
  }),
  ...mutantsOf("lib/lake/target-lookup.ts", listTests, {
    "the groups of a session's newest trace": [
      "last(${column} ORDER BY started_at, row)",
      "first(${column} ORDER BY started_at, row)",
    ],
    "the session of a trace as the cluster of its scores": ["coalesce(session_id, trace_id)", "trace_id"],
    "scores of the range": ["`created_at < ${parseInstant(to)}", "`created_at > ${parseInstant(to)}"],
    "traces without a tag in groups": [", []), [NULL])", ", []), [])"],
  }),
  ...mutantsOf("lib/store/scores/units/targets.ts", listTests, {
    "a session's newest trace among files and rows": ["if (key === null || !isOlder(id, key)) addTarget", "addTarget"],
  }),
  ...mutantsOf("lib/store/lake/day-view.ts", listTests, {
    "marks of scores for lists by scores": ["withScores || !scoresOnly", "!scoresOnly"],
  }),
  ...mutantsOf("lib/store/hours/row-limit-check.ts", ["test/store/hours/row-forecast.test.ts"], {
    "asking small projects for files": ["total < minTraces ||", "total < 0 ||"],
  }),
  ...mutantsOf("lib/lake/export-days.ts", dueTests, {
    "the proof by sums": ['rowsIn(files, "traces") === stored &&', 'rowsIn(files, "traces") >= 0 &&'],
    "telling of changes": ["changes: isSnapshot ? 0 : changed", "changes: 0"],
  }),
];
