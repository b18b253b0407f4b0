import type { GenericSchema } from "valibot";
import { amountText, booleanText, numberText } from "../../lib/contract/list-query.ts";
import { instant, unparsedInstant, json, jsonObject, uuid } from "../../lib/contract/schema/fields.ts";
import { codeChallenge, codeVerifier } from "../../lib/contract/access/cli.ts";
import { invitedEmail, organizationName, projectDescription, projectName } from "../../lib/contract/access/fields.ts";
import { batchItem } from "../../lib/contract/traces/batch.ts";
import { scoreCondition } from "../../lib/contract/score-conditions.ts";
import { metadataFilter, textQuery } from "../../lib/contract/traces/filters.ts";
import { langfuseEventItem } from "../../lib/contract/langfuse/ingestion.ts";
import { langfuseId, langfuseScores, maxScores } from "../../lib/contract/langfuse/scores.ts";
import { otlpValue } from "../../lib/contract/otlp/fields.ts";
import { createLangfuseDataset, createLangfuseDatasetRunItem } from "../../lib/contract/langfuse/datasets.ts";
import { createDataset } from "../../lib/contract/datasets/datasets.ts";
import { createDatasetItems } from "../../lib/contract/datasets/items.ts";
import { putLabels, uploadedLabel } from "../../lib/contract/labels/label-items.ts";
import { createLabelSet } from "../../lib/contract/labels/label-sets.ts";
import { computeTrust } from "../../lib/contract/labels/trust.ts";
import { evaluateGate, gateRule } from "../../lib/contract/experiments/gates.ts";
import { createCustomMetric } from "../../lib/contract/metrics/custom-metrics.ts";
import { copyGalleryMetric, importCustomMetric } from "../../lib/contract/metrics/metric-sources.ts";
import { previewCustomMetric } from "../../lib/contract/metrics/preview.ts";
import { maskingRules } from "../../lib/contract/access/masking-rules.ts";
import { previewAlert } from "../../lib/contract/monitors/alert-preview.ts";
import { alertResource } from "../../lib/contract/monitors/alerts.ts";
import { createMonitor, monitorResource } from "../../lib/contract/monitors/monitors.ts";
import { judgeModel, sessionMetricList } from "../../lib/contract/runs/fields.ts";
import { maxCostText } from "../../lib/contract/runs/settings.ts";
import { judgeCascade } from "../../lib/contract/runs/judge-cascade.ts";
import { metricName } from "../../lib/contract/runs/template.ts";
import { scoreInputFields } from "../../lib/contract/scores/fields.ts";
import { sideText } from "../../lib/contract/scores/comparison.ts";
import { judgeVersion, metricVersion } from "../../lib/contract/scores/filters.ts";
import { sessionSortBy } from "../../lib/contract/sessions/sessions.ts";
import { sessionSortColumns } from "../../lib/domain/sessions/session.ts";
import { traceSortColumns } from "../../lib/domain/traces/sort.ts";
import { createTraceRun } from "../../lib/contract/runs/trace-runs.ts";
import { traceSortBy } from "../../lib/contract/traces/traces.ts";
import { cost, tokenUsage, traceStart } from "../../lib/contract/traces/trace-input.ts";
import { maxItems } from "../../lib/domain/datasets/dataset.ts";
import { outputItemKind } from "../../lib/domain/datasets/imported/eval-item.ts";
import { evidenceKinds } from "../../lib/domain/metrics/custom/definition.ts";
import { gallery } from "../../lib/metrics/gallery/gallery.ts";
import { sessionMetricNames } from "../../lib/metrics/session/catalogue.ts";
import { traceMetricNames } from "../../lib/metrics/trace/catalogue.ts";
import type { Random } from "../support/random.ts";
import { freeJson, freeObject, instantText, nested, someUuid, wideObject } from "./free-values.ts";
import { displayLabel, displayName } from "../../lib/contract/schema/plain-text.ts";
import { Literal, type Sendable } from "./sendable.ts";

/** A value that must be refused. */
export interface Wrong {
  readonly description: string;
  readonly value: Sendable;
  /** Path below the field at which the refusal must point; null if it may point only to the body. */
  readonly at: readonly (string | number)[] | null;
  /** True if the schema accepts the value and the handler refuses it. */
  readonly byHandler?: true;
}

/** Values of a schema that cannot be derived from it. */
export interface SchemaValues {
  /** True if the schema accepts the id of an item. */
  readonly id?: true;
  readonly simplest: Sendable;
  readonly valid: (random: Random) => Sendable;
  /** Wrong values other than null, which the surrounding schema handles. */
  readonly wrong: readonly Wrong[];
  /** True if null is accepted. */
  readonly nullable?: true;
}

const here = (values: readonly Sendable[]): Wrong[] =>
  values.map((value) => ({
    description:
      typeof value === "string" ? `the text ${JSON.stringify(value.slice(0, 60))}` : `of type ${typeof value}`,
    value,
    at: [],
  }));

const noTexts: readonly Sendable[] = [1, true, {}, [], ["x"]];
const noObjects: readonly Sendable[] = [1, true, "{}", [], [{}]];

const aUuid = "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01";
const uuids: SchemaValues = {
  id: true,
  simplest: aUuid,
  valid: (random) => (random.chance(0.2) ? someUuid(random).toUpperCase() : someUuid(random)),
  wrong: here([
    "",
    "x",
    aUuid.slice(1),
    `${aUuid}0`,
    `{${aUuid}}`,
    `urn:uuid:${aUuid}`,
    aUuid.replace("-", ""),
    `${aUuid}\n`,
    ` ${aUuid}`,
    `\uff10${aUuid.slice(1)}`,
    `${aUuid.slice(1)}g`,
    ...noTexts,
  ]),
};

const instants: SchemaValues = {
  simplest: "2026-10-01T10:00:00+00:00",
  valid: instantText,
  wrong: here([
    "",
    "x",
    "1",
    "2026",
    "2026-10",
    "2026-02-30",
    "2026-13-01",
    "0000-01-01",
    "10000-01-01",
    "2026-10-01 10:00",
    "2026-10-01T24:00",
    "2026-10-01T10:60",
    "2026-10-01T23:59:60Z",
    "2026-10-01T10:00:00,5Z",
    "2026-10-01T10:00:00z",
    "2026-10-01T10:00:00+24:00",
    "2026-10-01T10:00:00 00:00",
    "2026-10-01\n",
    "0001-01-01T00:00:00+01:00",
    "1764547200",
    ...noTexts,
  ]),
};

/** An instant in a past year, so that no start is in the future. */
const startText = (random: Random): string => instantText(random, ["2001", "2024", "2025"]);

const starts: SchemaValues = { ...instants, valid: startText };

const tooDeep: Wrong = { description: "nested 101 levels deep", value: nested(101), at: [] };
const tooWide: Wrong = { description: "of 10,001 keys", value: wideObject(10_001), at: [] };
const farTooDeep: Wrong = {
  description: "nested 20,000 levels deep",
  value: new Literal("[".repeat(20_000)),
  at: null,
};
const badKey: Wrong = { description: "with half a character in a key", value: { "\ud800": 1 }, at: [] };

const anything: SchemaValues = { simplest: null, valid: freeJson, wrong: [tooDeep, tooWide, farTooDeep, badKey] };

const objects: SchemaValues = {
  simplest: {},
  valid: freeObject,
  wrong: [...here(noObjects), { ...tooDeep, value: { a: nested(100) } }, tooWide, farTooDeep, badKey],
};

const langfuseLists: SchemaValues = {
  simplest: [],
  valid: (random) => Array.from({ length: random.below(4) }, () => freeJson(random)),
  wrong: here([1, true, "{}", Array.from({ length: maxScores + 1 }, () => ({}))]),
};

const objectsWithAmounts = (keys: readonly [string, ...string[]]): SchemaValues => ({
  ...objects,
  valid: (random) => ({
    ...freeObject(random),
    [random.pick(keys)]: random.pick<Sendable>([null, 0, 1.5, 1000, new Literal("1e-400"), new Literal("12.0")]),
  }),
  wrong: [
    ...objects.wrong,
    ...keys.flatMap((key) =>
      [-1, "1", true, {}, []].map((value) => ({
        description: `with ${JSON.stringify(value)} as ${key}`,
        value: { [key]: value },
        at: [key],
      })),
    ),
  ],
});

const [aMetric = "", ...otherMetrics] = traceMetricNames;
const metricsOf = (names: readonly string[]): SchemaValues => {
  const [first = "", ...otherNames] = names;
  return {
    simplest: [first],
    valid: (random) => Array.from({ length: random.between(1, 3) }, () => random.pick([first, ...otherNames])),
    wrong: [
      ...here([[], first, 1, true, { 0: first, length: 1 }]),
      ...["nonsense", first.toUpperCase(), "__proto__", ""].map((name) => ({
        description: `with the unknown name ${JSON.stringify(name)}`,
        value: [first, name],
        at: [],
        byHandler: true as const,
      })),
      { description: "with a number in it", value: [first, 1], at: [1] },
      { description: "with null in it", value: [null], at: [0] },
      { description: "of 1001 names", value: Array.from({ length: 1001 }, () => first), at: [] },
    ],
  };
};

const oneMetric: SchemaValues = {
  simplest: aMetric,
  valid: (random) => random.pick([aMetric, ...otherMetrics]),
  wrong: [
    ...here(["x".repeat(256)]),
    ...["", "nonsense", "loop_detection", aMetric.toUpperCase(), "__proto__"].map((value) => ({
      description: `with the unknown name ${JSON.stringify(value)}`,
      value,
      at: [],
      byHandler: true as const,
    })),
  ],
};

/** Random base64url characters. */
const letters = (random: Random, count: number): string =>
  Array.from({ length: count }, () => random.pick(["A", "Z", "a", "z", "0", "9", "-", "_"])).join("");

const challenges: SchemaValues = {
  simplest: "x".repeat(43),
  valid: (random) => letters(random, 43),
  wrong: here(["", "x".repeat(42), "x".repeat(44), `${"x".repeat(42)}=`, `${"x".repeat(42)}~`, ...noTexts]),
};

const verifiers: SchemaValues = {
  simplest: "x".repeat(43),
  valid: (random) => letters(random, random.between(43, 128)),
  wrong: here(["", "x".repeat(42), "x".repeat(129), `${"x".repeat(43)}/`, `${"x".repeat(43)} `, ...noTexts]),
};

const models: SchemaValues = {
  simplest: "offline/rules",
  valid: (random) =>
    random.pick([
      "offline/rules",
      "custom/x",
      "custom/b/c",
      "gpt-6-luna",
      "claude-opus-5",
      `custom/${"b".repeat(248)}`,
    ]),
  wrong: here(["", "x", "/", "a/", "/b", "a/b\n", "a/\u202eb", "gpt-\0", `a/${"b".repeat(254)}`, ...noTexts]),
};

/** Two judges exclude a model, which generated bodies name. */
const cascades: SchemaValues = {
  simplest: null,
  valid: () => null,
  wrong: [
    ...here(["", "custom/x", 1, true]),
    ...(
      [
        ["a chat model first", { first: "custom/x", escalate: { to: "custom/x" } }, ["first"]],
        ["a decision model again", { first: "systemone/x", escalate: { to: "systemone/x" } }, ["escalate", "to"]],
        ["no second judge", { first: "systemone/x" }, ["escalate"]],
        ["a share of two", { first: "systemone/x", escalate: { to: "custom/x", at_most: 2 } }, ["escalate", "at_most"]],
      ] as const
    ).map(([description, value, at]) => ({ description, value, at })),
  ],
};

const judgeVersions: SchemaValues = {
  simplest: "0123456789ab",
  valid: (random) => random.pick(["0123456789ab", "ffffffffffff"]),
  wrong: here(["", "0123", "0123456789AB", "0123456789abc", ...noTexts]),
};

const metricVersions: SchemaValues = {
  simplest: "1",
  valid: (random) => String(random.between(1, 999_999)),
  wrong: here(["", "0", "01", "-1", "1.0", "1000000", "x", ...noTexts]),
};

/** Data types that accept numeric values. */
const scoreDataType: SchemaValues = {
  simplest: "NUMERIC",
  valid: (random) => random.pick(["NUMERIC", "CATEGORICAL"]),
  wrong: here(["", "numeric", "NUMERIC ", "TEXT", ...noTexts]),
};

const scoreValue: SchemaValues = {
  simplest: "0.5",
  valid: (random) =>
    random.pick<Sendable>(["0", "1", "-1.5e3", ".25", "+0.75", "12345678901234567890", "1e-400", 1, 0.25, -3]),
  wrong: here(["", "x".repeat(256), {}, [], ["x"]]),
};

const scoreMetadata: SchemaValues = {
  ...objects,
  valid: (random) => ({ note: random.pick(["", "é", "ok"]), count: random.between(0, 9) }),
  wrong: [...objects.wrong, { description: "of more than 64 KiB", value: { long: "x".repeat(65_536) }, at: [] }],
};

/** An invalid trace of a batch is reported in the reply instead of being refused. */
const batchItems: SchemaValues = {
  simplest: { name: "x", started_at: "2026-10-01" },
  valid: (random) =>
    random.chance(0.3) ? freeJson(random) : { name: "x", started_at: startText(random), input: freeJson(random) },
  wrong: [],
  nullable: true,
};

/** Events of a batch; an invalid one is reported in the reply. */
const langfuseEvents: SchemaValues = { simplest: {}, valid: freeJson, wrong: [], nullable: true };

const cadences: SchemaValues = {
  simplest: "daily",
  valid: (random) => random.pick(["every_6h", "daily", "weekly", "cron:0 9 * * mon-fri", "cron: */5 0-7 1,15 2 7 "]),
  wrong: [
    ...here(["x".repeat(256), ...noTexts]),
    ...["", "Daily", "cron:", "cron:* * * *", "cron:60 * * * *", "cron:0 0 30 2 *"].map((value) => ({
      description: `the text ${JSON.stringify(value)}`,
      value,
      at: [],
      byHandler: true as const,
    })),
  ],
};

/** Monitors use sessions, with values valid for both targets. */
const monitorTarget: SchemaValues = {
  simplest: "SESSION",
  valid: () => "SESSION",
  wrong: here(["", "session", "SPAN", ...noTexts]),
};

const monitorMetrics: SchemaValues = {
  simplest: [...sessionMetricNames],
  valid: (random) => [random.pick(["agent_reliability", "agent_consistency"])],
  wrong: [...here([[], "agent_reliability", 1, true]), { description: "with a number in it", value: [1], at: [0] }],
};

const monitorFilters: SchemaValues = {
  simplest: {},
  valid: (random) => ({ has_error: random.chance(0.5), min_trace_count: random.between(1, 9), tags: null }),
  wrong: here([1, true, "{}", []]),
};

/** Rules of a signal that has no metric and no category, so that any other field fits. */
const alertSignal: SchemaValues = {
  simplest: "volume",
  valid: (random) => random.pick(["volume", "error_rate", "cost", "latency_p90"]),
  wrong: here(["", "Volume", "score", ...noTexts]),
};

const alertMetric: SchemaValues = {
  simplest: null,
  valid: () => null,
  wrong: here(["x".repeat(256), 1, true]),
};

const alertFilters: SchemaValues = {
  simplest: {},
  valid: (random) => ({ has_error: random.chance(0.5), tags: null }),
  wrong: here([1, true, "{}", []]),
};

/** Announcements of scores need a signal of scores. */
const announcements: SchemaValues = { simplest: false, valid: () => false, wrong: here([1, 0, {}, [], "true", ""]) };

/** The start of a preview has to fit the length of the windows, which is drawn separately. */
const previewStarts: SchemaValues = { ...instants, simplest: null, valid: () => null };

const booleanWords: SchemaValues = {
  simplest: "true",
  valid: (random) => random.pick(["true", "false", "True", "FALSE", "1", "0"]),
  wrong: here(["", "yes", "2", "00", " true", "nottrue", "null"]),
};

const scoreConditions: SchemaValues = {
  simplest: "x=1",
  valid: (random) =>
    random.pick([
      "task_completion<0.5",
      "a>=.5",
      "b<=-1.",
      "x<1e3",
      "c!=",
      "solved=yes",
      "\u00e9\n=a<b=c",
      "a\\=b<1",
      "a\\b=1",
    ]),
  wrong: here(["", "x", "<0.5", "x<", "x<a", "x<1e", "x!1", "=1", "x\\<1", `${"x".repeat(2400)}=`, ...noTexts]),
};

const amountWords: SchemaValues = {
  simplest: "1",
  valid: (random) => random.pick(["0", "007", "1.5", ".5", "2.", "1e3", "5E-7", "9007199254740991"]),
  wrong: here(["", "-1", "+1", "1e", "1e16", "1e400", "x", " 1", ".", "1,5", "9007199254740993", "Infinity"]),
};

const ceilingWords: SchemaValues = {
  simplest: "1",
  valid: (random) => random.pick(["0.000001", "007", "1.5", "1e6"]),
  wrong: here(["", "0", "-1", "1000001", "1e400", "x", "1,5"]),
};

/** Sort columns without `score`, which needs another parameter. */
/** Filters of a side of a comparison. */
const sides: SchemaValues = {
  simplest: "release:1.0",
  valid: (random) => random.pick(["release:2.2", "environment:prod,tags:a,tags:b", "trace_name:support\\, chat"]),
  wrong: [
    ...here([""]),
    ...["x", "relese:1", "score:quality>0"].map((value) => ({
      description: `of the text ${value}`,
      value,
      at: [],
      byHandler: true as const,
    })),
  ],
};

const sortedBy = (columns: readonly [string, ...string[]]): SchemaValues => ({
  simplest: columns[0],
  valid: (random) => random.pick(columns),
  wrong: here(["", "x", columns[0].toUpperCase()]),
});

const numberWords: SchemaValues = {
  simplest: "1",
  valid: (random) => random.pick(["0", "-1", "+.5", "2.", "-0.25", "-1e3", "5E-7"]),
  wrong: here(["", "x", "1e", "1e400", " 1", ".", "1,5", "-", `9${"0".repeat(400)}`]),
};

/** Metadata filters, which are undeclared in random requests. */
const metadataFilters: SchemaValues = {
  simplest: {},
  valid: () => ({}),
  wrong: [
    ...here(["", 1, true, [], ["x"]]),
    { description: "with a number in it", value: { tier: 1 }, at: ["tier"] },
    { description: "with a key that is not declared", value: { tier: "gold" }, at: ["tier"], byHandler: true },
  ],
};

const textQueries: SchemaValues = {
  simplest: "refund",
  valid: (random) => random.pick(["refund", '"no refund" 42', "gpt-4.1", "返金", "é".repeat(256)]),
  wrong: here(["", " ", "?!", '"refund', "a ".repeat(17), "a".repeat(257), ...noTexts]),
};

const names: SchemaValues = {
  simplest: "checkout",
  valid: (random) => random.pick(["a", "é", "a b", " O'Neil_1.0-x\t", "z".repeat(255)]),
  wrong: here(["", " ", "-", "a-", " -a", "a/b", "ab\u00e9", "a\nb", "\ud83d\ude00", "a".repeat(256), ...noTexts]),
};

const plainTexts = (maxLength: number): SchemaValues => ({
  simplest: "nightly",
  valid: (random) => random.pick([" ", "a/b", "\u00e9\ud83d\ude00", "\u05d0", "\ud83d\ude00".repeat(maxLength)]),
  wrong: here([
    "",
    "\0",
    "a\nb",
    "\u0085",
    "a\u202eb",
    "\u200f",
    "\u2066",
    "\u2028",
    "x".repeat(maxLength + 1),
    ...noTexts,
  ]),
});

/** A label set of a name of scores that is no metric. */
const labelSets: SchemaValues = {
  simplest: { name: "x", metrics: [{ name: "helpful", scale: { data_type: "BOOLEAN" } }] },
  valid: (random) => ({
    name: random.pick(["x", "\u00e9\ud83d\ude00"]),
    metrics: [
      random.pick<Sendable>([
        { name: "task_completion" },
        { name: "a", scale: { data_type: "NUMERIC", min: 0, max: 5, threshold: 3 } },
        { name: "b", scale: { data_type: "CATEGORICAL", categories: ["x", "y"], passing: ["x"] } },
      ]),
    ],
    size: random.between(20, 30),
    labels_per_item: random.between(1, 5),
  }),
  wrong: here([...noObjects, {}, { name: "x", metrics: [] }]),
};

/** Labels of a set whose only metric is `helpful`. */
const personLabels: SchemaValues = {
  simplest: { helpful: true },
  valid: (random) => ({ helpful: random.pick<Sendable>([true, "false", "cannot_tell", { cannot_tell: true }]) }),
  wrong: here([...noObjects, {}]),
};

/** Labels of an item by somebody else. */
const uploadedLabels: SchemaValues = {
  simplest: { item_id: "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01", labeller: "Ada", labels: { helpful: true } },
  valid: (random) => ({
    [random.pick(["item_id", "trace_id"])]: someUuid(random),
    labeller: random.pick(["Ada", "\u00e9\ud83d\ude00"]),
    labels: personLabels.valid(random),
  }),
  wrong: here([...noObjects, {}, { labeller: "Ada", labels: { helpful: true } }]),
};

/** A comparison of a judge with labels, of all items or of a half. */
const trustRequests: SchemaValues = {
  simplest: { metric: "helpful" },
  valid: (random) =>
    random.pick<Sendable>([
      { metric: "helpful" },
      { metric: "helpful", judge: null, half: "all", split: false },
      { metric: "task_completion", judge: "openai/gpt-5.4", half: "test", split: true },
    ]),
  wrong: here([...noObjects, {}, { metric: "helpful", half: "dev" }, { metric: "helpful", split: true }]),
};

/** Names of datasets, which are unique in a project. */
const datasetNames: SchemaValues = {
  ...plainTexts(512),
  valid: (random) => {
    const unique = String(random.below(1e9));
    return random.pick([unique, ` a/\u00e9\ud83d\ude00\u05d0 ${unique}`, unique.padStart(512, "z")]);
  },
};

const descriptions: SchemaValues = {
  simplest: "",
  valid: (random) => random.pick(["", " ", "two\nlines\tof text", "\u00e9\ud83d\ude00", "x".repeat(2000)]),
  wrong: here(["\0", "a\u001fb", "\u007f", "x".repeat(2001), ...noTexts]),
};

const maskings: SchemaValues = {
  simplest: {},
  valid: (random) =>
    random.pick<Sendable>([
      { keys: ["password", "*_token", "é*"], presets: ["email", "card"] },
      { paths: ["$.input['a b'][0].*", "$.spans[*].metadata.x", "$.scores[*].reason"] },
      { keys: Array.from({ length: 50 }, (_, index) => `k${index}`), paths: [], presets: [] },
    ]),
  wrong: [
    ...here([
      ...noObjects,
      {
        keys: Array.from({ length: 25 }, (_, at) => `k${at}`),
        paths: Array.from({ length: 26 }, (_, at) => `$.input.p${at}`),
      },
    ]),
    { description: "a path without a root", value: { paths: ["$.input", "input"] }, at: ["paths", 1] },
    { description: "a path to an id", value: { paths: ["$.trace_id"] }, at: ["paths", 0] },
    { description: "any key", value: { keys: ["**"] }, at: ["keys", 0] },
    { description: "an unknown preset", value: { presets: ["ssn"] }, at: ["presets", 0] },
    { description: "a pattern", value: { patterns: ["x"] }, at: ["patterns"] },
  ],
};

const emails: SchemaValues = {
  simplest: "bob@example.com",
  valid: (random) => `${random.below(1e9)}${random.pick(["@x.org", "@Example.com ", "+\u00e9@b.c"])}`,
  wrong: here([
    "",
    "@",
    "a@",
    "@b",
    "a b@c",
    "a@b@c.de",
    "bob",
    "bob@example",
    "=1@b.c",
    "\u043ebob@b.c",
    "a\0@b",
    `${"x".repeat(320)}@x`,
    ...noTexts,
  ]),
};

const ownNames: SchemaValues = {
  simplest: "a",
  valid: (random) => `m${random.below(1e9)}`,
  wrong: here(["", "A", "1a", "a-b", "a@1", "a b", "a\n", "x".repeat(65), ...noTexts]),
};

const levelsOf = (labels: readonly string[]): Sendable => labels.map((label) => ({ label, meaning: "x", value: 0.5 }));

/** Evidence of traces and of sessions, between which another field decides: sessions have no expected output. */
const evidence: SchemaValues = {
  simplest: ["transcript"],
  valid: (random) => {
    const kinds = evidenceKinds.filter((kind) => kind !== "expected_output");
    return kinds.slice(random.below(kinds.length));
  },
  wrong: [
    ...here([[], "transcript", 1, true, {}]),
    { description: "of an unknown kind", value: ["x"], at: [0] },
    { description: "of a number", value: [1], at: [0] },
  ],
};

/** Accepted levels always include those of yes and no, which another field may reference. */
const scales: SchemaValues = {
  simplest: "yes_no",
  valid: (random) => random.pick<Sendable>(["yes_no", [], levelsOf(["no", "yes"]), levelsOf(["\u00e9", "yes", "no"])]),
  wrong: [
    ...here(["", "no_yes", 1, true, {}]),
    { description: "of one level", value: levelsOf(["yes"]), at: [] },
    { description: "of eight levels", value: levelsOf("abcdefgh".split("")), at: [] },
    {
      description: "without a label",
      value: [
        { meaning: "x", value: 1 },
        { label: "no", meaning: "x", value: 1 },
      ],
      at: [0, "label"],
    },
    {
      description: "of a value above 1",
      value: [
        { label: "yes", meaning: "x", value: 2 },
        { label: "no", meaning: "x", value: 1 },
      ],
      at: [0, "value"],
    },
    { description: "of two levels alike", value: levelsOf(["yes", "yes"]), at: [1, "label"], byHandler: true },
  ],
  nullable: true,
};

const statementLists: SchemaValues = {
  simplest: [],
  valid: (random) => Array.from({ length: random.below(11) }, (_, place) => ({ name: `s${place}`, text: "Is it so?" })),
  wrong: [
    ...here([1, true, "x", {}]),
    { description: "of eleven statements", value: Array.from({ length: 11 }, () => ({ text: "x" })), at: [] },
    { description: "without a question", value: [{ name: "a" }], at: [0, "text"] },
    { description: "of a name with a space", value: [{ name: "a b", text: "x" }], at: [0, "name"] },
    {
      description: "of two alike",
      value: [1, 2].map(() => ({ name: "a", text: "x" })),
      at: [1, "name"],
      byHandler: true,
    },
  ],
};

/** A nominal scale needs categories and a rule, which are generated separately. */
const scaleTypes: SchemaValues = {
  simplest: "order",
  valid: () => "order",
  wrong: here(["", "x", "NOMINAL", ...noTexts]),
};

/** Rules reference statements and levels that are generated separately. */
const rules: SchemaValues = {
  simplest: null,
  valid: () => null,
  wrong: [
    ...here([1, true, "x", {}, []]),
    { description: "without answers", value: [{ level: "yes" }], at: [0, "answers"] },
    {
      description: "of an answer that decides nothing",
      value: [{ level: "yes", answers: { a: "maybe" } }],
      at: [0, "answers", "a"],
    },
    {
      description: "of an unknown level",
      value: [{ level: "x", answers: { a: "yes" } }],
      at: [0, "level"],
      byHandler: true,
    },
  ],
  nullable: true,
};

const lastLevels: SchemaValues = {
  simplest: "no",
  valid: (random) => random.pick(["yes", "no"]),
  wrong: [
    ...here(["", "x".repeat(41), ...noTexts]),
    { description: "an unknown level", value: "other", at: [], byHandler: true },
  ],
};

const metricExamples: SchemaValues = {
  simplest: [],
  valid: () => [],
  wrong: [
    ...here([1, true, "x", {}]),
    { description: "without a record", value: [{ answers: {} }], at: [0, "record"] },
    {
      description: "of an unknown statement",
      value: [{ record: "x", answers: { unknown: "yes" } }],
      at: [0, "answers", "unknown"],
      byHandler: true,
    },
  ],
};

/** The other kinds need additional fields. */
const metricKinds: SchemaValues = {
  simplest: "judge",
  valid: () => "judge",
  wrong: here(["", "JUDGE", "code", ...noTexts]),
};

/** The fields of the other kinds, which a judge metric must not have. */
const otherKinds: SchemaValues = { simplest: null, valid: () => null, wrong: here(noObjects), nullable: true };

/** A copy names its metric in `metric`, in `name` or in both. */
const galleryCopies: SchemaValues = {
  simplest: { metric: "tone" },
  valid: (random) => {
    const metric = gallery[random.below(gallery.length)]?.name ?? "tone";
    return random.pick<Sendable>([{ metric }, { name: metric }, { metric, name: `copy_${random.below(1e9)}` }]);
  },
  wrong: [
    ...here(noObjects),
    ...noTexts.map((metric) => ({
      description: `with a name of type ${typeof metric}`,
      value: { metric },
      at: ["metric"],
    })),
    { description: "with a name that no metric can have", value: { metric: "tone", name: "Tone" }, at: ["name"] },
    { description: "with a name that the gallery lacks", value: { metric: "charm" }, at: ["metric"], byHandler: true },
    { description: "without a name", value: {}, at: ["metric"], byHandler: true },
  ],
};

const foreignMetric = { name: "imported", prompt: "Is it short?", choice_scores: { Yes: 1, No: 0 } };
const foreignMetrics: SchemaValues = {
  simplest: foreignMetric,
  valid: (random) => ({ ...foreignMetric, name: `imported_${random.below(1e9)}` }),
  wrong: [...here(noObjects), { description: "without a prompt", value: {}, at: [], byHandler: true }],
};

const [previewedMetric, pasted] = [
  { name: "tried", description: "Evaluates something." },
  { name: "x", started_at: "2026-10-01" },
];
/** A preview specifies its metric and its traces in one of two ways each. */
const previews: SchemaValues = {
  // A check has a fixed reply and needs no judge.
  simplest: { metric: { ...previewedMetric, kind: "check", check: { type: "length", max: 5 } }, trace: pasted },
  valid: (random) => ({
    metric: { ...previewedMetric, threshold: random.below(101) / 100 },
    ...(random.chance(0.5) ? { trace: pasted } : { trace_ids: [someUuid(random)] }),
  }),
  wrong: [
    ...here(noObjects),
    { description: "without a metric", value: { trace: pasted }, at: ["metric"], byHandler: true },
    { description: "without a trace", value: { metric: previewedMetric }, at: ["trace_ids"], byHandler: true },
    {
      description: "with two kinds of traces",
      value: { metric: previewedMetric, trace: pasted, trace_ids: [aUuid] },
      at: ["trace"],
      byHandler: true,
    },
  ],
};

const labels: readonly [Sendable, ...Sendable[]] = [
  "x",
  "\u00e9",
  " ",
  7,
  1.5,
  true,
  new Literal("12345678901234567890"),
];
const noLabels: readonly Sendable[] = ["x".repeat(1025), {}, [], ["x"]];

/** Ids of another product's telemetry, which may be numbers or booleans. */
const langfuseIds: SchemaValues = {
  simplest: "x",
  valid: (random) => random.pick([...labels, "", "z".repeat(1024)]),
  wrong: here([...noLabels, "0".repeat(16), "0".repeat(32), "00000000-0000-0000-0000-000000000000"]),
};

const langfuseItemIds: SchemaValues = {
  simplest: "x",
  valid: (random) => random.pick([...labels, "z".repeat(255)]),
  wrong: here([...noLabels, "", "x".repeat(256)]),
};

/** Schemas of items, which are refused unless they are null. */
const refusedObjects: SchemaValues = { simplest: null, valid: () => null, wrong: here([...noObjects, {}, { a: 1 }]) };

const wrongItem = (description: string, item: Sendable, at: Wrong["at"] & object = []): Wrong => ({
  description: `with an item ${description}`,
  value: { items: [item] },
  at: ["items", 0, ...at],
});

/** Items with an input of their own, as a source has to exist, or a configuration of promptfoo instead of them. */
const datasetItems: SchemaValues = {
  simplest: { items: [{ input: "x" }] },
  valid: (random) =>
    random.chance(0.2)
      ? {
          promptfoo: {
            tests: [{ vars: { question: ["a", random.below(9)] }, assert: [{ type: "equals", value: "x" }] }],
          },
        }
      : {
          items: Array.from({ length: random.between(1, 3) }, (_, place) =>
            random.chance(0.2)
              ? { object: outputItemKind, datasource_item: { input: freeJson(random), expected: "x" } }
              : {
                  input: freeJson(random),
                  ...(random.chance(0.5) && {
                    id: random.pick([null, `${place}`, someUuid(random), `${"z".repeat(1023)}${place}`]),
                  }),
                  ...(random.chance(0.5) && { expected_output: freeJson(random) }),
                  ...(random.chance(0.5) && { metadata: freeObject(random) }),
                  ...(random.chance(0.2) && { source: null }),
                },
          ),
        },
  wrong: [
    ...here([...noObjects, {}]),
    { description: "with items and promptfoo", value: { items: [{ input: 1 }], promptfoo: { tests: [{}] } }, at: [] },
    { description: "a key more", value: { items: [{ input: 1 }], unheard_of: 1 }, at: ["unheard_of"] },
    ...[1, true, "x", {}, [], Array.from({ length: maxItems + 1 }, () => ({}))].map((items) => ({
      description: `with items of type ${typeof items}`,
      value: { items },
      at: ["items"],
    })),
    ...[null, 1, true, "x", []].map((item) => wrongItem(JSON.stringify(item), item)),
    wrongItem("without an input", {}),
    wrongItem("with a key more", { input: 1, unheard_of: 1 }, ["unheard_of"]),
    ...["", 1, {}, "x".repeat(1025)].map((id) => wrongItem(`with a wrong id: ${typeof id}`, { input: 1, id }, ["id"])),
    ...[null, 1, "x", []].map((metadata) =>
      wrongItem(`with metadata ${JSON.stringify(metadata)}`, { input: 1, metadata }, ["metadata"]),
    ),
    wrongItem("with an input nested 101 levels deep", { input: nested(101) }, ["input"]),
    wrongItem("with a source without a trace", { source: {} }, ["source", "trace_id"]),
    wrongItem("with a source of a wrong id", { source: { trace_id: "x" } }, ["source", "trace_id"]),
    { ...wrongItem("of an unknown trace", { source: { trace_id: aUuid } }, ["source", "trace_id"]), byHandler: true },
    wrongItem("of OpenAI's Evals without a data source", { object: outputItemKind }),
    ...[1, true, "x", []].map((promptfoo) => ({
      description: `with promptfoo of type ${typeof promptfoo}`,
      value: { promptfoo },
      at: ["promptfoo"],
    })),
    { description: "with promptfoo without tests", value: { promptfoo: {} }, at: ["promptfoo", "tests"] },
    {
      description: "with a test that is a file",
      value: { promptfoo: { tests: ["x"] } },
      at: ["promptfoo", "tests", 0],
    },
  ],
};

/** Filters, as the id of an experiment has to exist. */
const gateSides: SchemaValues = {
  simplest: {},
  valid: (random) => random.pick<Sendable>([{}, { status: null }, { release: "1.0", tags: ["a"] }, { min_cost: 0.5 }]),
  wrong: [
    ...here(["", "x".repeat(1025), 1, true, []]),
    { description: "with a key that is no filter", value: { unheard_of: 1 }, at: ["unheard_of"] },
    { description: "with a filter below 0", value: { min_cost: -1 }, at: ["min_cost"] },
    { description: "with tags of another type", value: { tags: "a" }, at: ["tags"] },
  ],
};

/** Rules without a comparison, which would need the baseline that is generated separately. */
const gateRules: SchemaValues = {
  simplest: { metric: "helpful", min_rate: 0.5 },
  valid: (random) => ({
    metric: random.pick(["helpful", " ", "z".repeat(1024)]),
    ...random.pick<object>([{ min_rate: 0 }, { min_rate: 1 }, { min_mean: 0.5 }, { min_mean: 1_000_000 }]),
    ...(random.chance(0.3) && { watch: random.chance(0.5) }),
  }),
  wrong: [
    ...here([...noObjects, {}]),
    { description: "of two kinds", value: { metric: "helpful", min_rate: 0.5, min_mean: 0.5 }, at: [] },
    { description: "about scores without a metric", value: { min_rate: 0.5 }, at: [] },
    { description: "about cost with a metric", value: { metric: "helpful", max_cost_increase: 0.1 }, at: [] },
    { description: "that compares with nothing", value: { max_cost_increase: 0.1 }, at: [], byHandler: true },
    ...[
      { metric: "" },
      { metric: 1 },
      { metric: "x".repeat(1025) },
      { min_rate: -0.1 },
      { min_rate: 1.1 },
      { min_rate: "0.5" },
      { watch: 1 },
      { watch: null },
      { unheard_of: 1 },
    ].map((field) => ({
      description: `with ${JSON.stringify(field).slice(0, 60)}`,
      value: { metric: "helpful", min_rate: 0.5, ...field },
      at: Object.keys(field),
    })),
  ],
};

/** Waits that end at once or soon: a project without scores would use all of them. */
const gateWaits: SchemaValues = {
  simplest: 0,
  valid: (random) => random.pick([0, 0.01, 0.25]),
  wrong: here([-1, -1e-9, 25.001, 1e308, "1", true, {}, []]),
};

/** Returns the fields of a `closedObject`. */
const fieldsOf = <Fields>({
  pipe,
}: {
  readonly pipe: readonly [{ readonly options: readonly [{ readonly entries: Fields }, unknown] }, ...unknown[]];
}): Fields => pipe[0].options[0].entries;

const customMetric = fieldsOf(createCustomMetric.body);
const langfuseDataset = createLangfuseDataset.body.entries;
const gate = fieldsOf(evaluateGate.body);

/** Values of schemas that cannot be derived from them, by identity. A schema with a custom check needs an entry. */
export const knownSchemas: ReadonlyMap<GenericSchema, SchemaValues> = new Map<GenericSchema, SchemaValues>([
  [uuid, uuids],
  [instant, instants],
  [unparsedInstant, instants],
  [traceStart, starts],
  [json, anything],
  [otlpValue, anything],
  [jsonObject, objects],
  [batchItem, batchItems],
  [langfuseEventItem, langfuseEvents],
  [langfuseScores, langfuseLists],
  [langfuseId.wrapped, langfuseIds],
  [langfuseDataset.name, datasetNames],
  [langfuseDataset.inputSchema.wrapped, refusedObjects],
  [createLangfuseDatasetRunItem.body.entries.datasetItemId, langfuseItemIds],
  [fieldsOf(createDataset.body).name, datasetNames],
  [createDatasetItems.body, datasetItems],
  [createLabelSet.body, labelSets],
  [computeTrust.body, trustRequests],
  [fieldsOf(putLabels.body).labels, personLabels],
  [uploadedLabel, uploadedLabels],
  [gate.candidate, gateSides],
  [gate.baseline.wrapped, gateSides],
  [gateRule, gateRules],
  [gate.wait.wrapped, gateWaits],
  [organizationName, names],
  [projectName, names],
  [projectDescription, descriptions],
  [maskingRules, maskings],
  [displayName, plainTexts(1024)],
  [displayLabel, plainTexts(255)],
  [invitedEmail, emails],
  [codeChallenge, challenges],
  [codeVerifier, verifiers],
  [fieldsOf(createMonitor.body).target_type, monitorTarget],
  [monitorResource.update.name.wrapped, plainTexts(1024)],
  [monitorResource.update.cadence.wrapped, cadences],
  [monitorResource.update.metrics.wrapped, monitorMetrics],
  [monitorResource.update.filters.wrapped, monitorFilters],
  [alertResource.update.name.wrapped, plainTexts(1024)],
  [alertResource.update.signal.wrapped, alertSignal],
  [alertResource.update.metric_name.wrapped, alertMetric],
  [alertResource.update.category.wrapped, alertMetric],
  [alertResource.update.filters.wrapped, alertFilters],
  [alertResource.update.announce_scores.wrapped, announcements],
  [fieldsOf(previewAlert.body).date_from.wrapped, previewStarts],
  [tokenUsage.wrapped, objectsWithAmounts(["prompt_tokens", "completion_tokens"])],
  [cost.wrapped, objectsWithAmounts(["total"])],
  [booleanText, booleanWords],
  [amountText, amountWords],
  [maxCostText, ceilingWords],
  [numberText, numberWords],
  [sideText, sides],
  [scoreCondition, scoreConditions],
  [traceSortBy, sortedBy(traceSortColumns)],
  [sessionSortBy, sortedBy(sessionSortColumns)],
  [metadataFilter, metadataFilters],
  [textQuery, textQueries],
  [metricName, oneMetric],
  [judgeVersion, judgeVersions],
  [metricVersion, metricVersions],
  [scoreInputFields.data_type.wrapped, scoreDataType],
  [scoreInputFields.value, scoreValue],
  [scoreInputFields.metadata.wrapped, scoreMetadata],
  [fieldsOf(createTraceRun.body).metrics, metricsOf(traceMetricNames)],
  [sessionMetricList, metricsOf(sessionMetricNames)],
  [judgeModel, models],
  [judgeCascade, cascades],
  [customMetric.name, ownNames],
  [customMetric.evidence.wrapped, evidence],
  [customMetric.scale.wrapped, scales],
  [customMetric.scale_type.wrapped, scaleTypes],
  [customMetric.statements.wrapped, statementLists],
  [customMetric.rule.wrapped, rules],
  [customMetric.otherwise.wrapped, lastLevels],
  [customMetric.examples.wrapped, metricExamples],
  [customMetric.kind.wrapped, metricKinds],
  [customMetric.check.wrapped, otherKinds],
  [customMetric.fold.wrapped, otherKinds],
  [copyGalleryMetric.body, galleryCopies],
  [fieldsOf(importCustomMetric.body).metric, foreignMetrics],
  [previewCustomMetric.body, previews],
]);
