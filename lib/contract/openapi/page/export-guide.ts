import { columnsOf, type LakeTableName } from "../../../domain/lake/tables.ts";
import { maxExportDays } from "../../../domain/lake/export-range.ts";
import { keyHeaders } from "./curl.ts";
import { codeBlock, html, prose, type Html } from "./html.ts";

/** Id of the guide's section. */
export const exportGuideId = "files";

const post = `curl -s "$ASSAY/exports" ${keyHeaders} \\
  -H 'Content-Type: application/json' -d '{"started_after": "2026-11-01"}'`;

const download = `until ${post} > export.json
  jq -e .complete export.json; do jq -r '.missing[]' export.json; sleep 30; done
jq -r '.days[].files[] | "\\(.sha256)  \\(.key | ltrimstr("snapshots/"))", "\\(.url)"' export.json |
  while read -r sum && read -r url; do
    file="\${sum#*  }"; curl -sf --create-dirs -o "$file" "$url" && echo "$sum" | sha256sum -c --quiet
  done`;

const local = `duckdb -c "SELECT day, release, count(*), avg(cost_usd) FROM read_parquet('traces/*/*/*.parquet', hive_partitioning = true) GROUP BY ALL"
duckdb -c "SELECT name, count(*), median(ended_at - started_at), any_value(input ->> '$.question') FROM read_parquet('spans/*/*/*.parquet') WHERE kind = 'TOOL' GROUP BY name"
python3 -c "import pandas; print(pandas.read_parquet('traces').groupby('release').cost_usd.describe())"`;

const bucket = `duckdb -c "CREATE SECRET (TYPE s3, PROVIDER credential_chain); SELECT name, count(*), avg(number)
  FROM read_parquet('s3://$BUCKET/scores/project=$PROJECT/day=2026-11-*/*.parquet') WHERE counts GROUP BY ALL"`;

/** Names of types in Athena where they are not those of DuckDB. */
const athenaTypes: Readonly<Record<string, string>> = {
  VARCHAR: "string",
  INTEGER: "int",
  TIMESTAMPTZ: "timestamp",
  "VARCHAR[]": "array<string>",
  "MAP(VARCHAR, VARCHAR)": "map<string,string>",
  "STRUCT(name VARCHAR, version VARCHAR)[]": "array<struct<name:string,version:string>>",
  "STRUCT(hour TIMESTAMPTZ, model VARCHAR, calls INTEGER, prompt_tokens BIGINT, completion_tokens BIGINT, cost_usd DOUBLE)[]":
    "array<struct<hour:timestamp,model:string,calls:int,prompt_tokens:bigint,completion_tokens:bigint,cost_usd:double>>",
};

/** Returns the statement with which Athena knows a table: its partitions follow from the query, so that no crawler is needed. */
const athenaTable = (table: LakeTableName): string => {
  const columns = columnsOf(table).map(([name, type]) => `  \`${name}\` ${athenaTypes[type] ?? type.toLowerCase()}`);
  const location = `s3://BUCKET/${table}/`;
  return `CREATE EXTERNAL TABLE assay_${table} (
${columns.join(",\n")}
)
PARTITIONED BY (project string, day string)
STORED AS PARQUET
LOCATION '${location}'
TBLPROPERTIES (
  'projection.enabled' = 'true',
  'projection.project.type' = 'injected',
  'projection.day.type' = 'date',
  'projection.day.format' = 'yyyy-MM-dd',
  'projection.day.range' = '2020-01-01,NOW',
  'storage.location.template' = '${location}project=\${project}/day=\${day}/'
);`;
};

const athenaQuery = `SELECT release, count(*) AS traces, sum(cost_nano_usd) / 1e9 AS dollars
FROM assay_traces WHERE project = '5e0c7e52-3f4b-4a53-9d0e-0d6a4d1c7b11' AND day >= '2026-11-01' GROUP BY release;`;

/** Section about the files of traces, scores and spans. */
export const exportGuide: Html = html` <section id="${exportGuideId}">
  <h2>Export a project as files</h2>
  <p>
    ${prose(
      "All traces and scores of a UTC day are two files in Parquet, which DuckDB, pandas, Spark and Athena read. A project has files from 10,000 traces on, or from its first export; " +
        "a day is written an hour after its end, and again within 13 hours when something of it has changed, expired or was deleted. " +
        `A range has at most ${maxExportDays} days. The commands need the variables of the`,
    )}
    <a href="#start">quick start</a> and <code>jq</code>.
  </p>
  ${codeBlock(download)}
  <p>
    ${prose(
      "`complete` is proved: each file has as many traces as the hourly sums, which are counted apart from it, and nothing has changed since. Otherwise `missing` says what each day lacks. " +
        "A day that is not over, or whose files are not up to date, comes as a snapshot of the moment below `snapshots/`, written within a minute. Changes of the last five minutes before a closed day was written are written once more, so that an export may be complete six minutes later. Links expire after 15 minutes. " +
        'With `"spans": true` the links also lead to files of spans: one row per span, and one per trace, which has no `span_id`, with their `input`, `output` and `metadata` as JSON. ' +
        "Closed days keep these files from then on; a day that is not closed has them up to 20,000 traces. " +
        "Trace ids are texts, costs also whole billionths of a dollar (`cost_nano_usd`), whose sums do not depend on their order. `row` joins the two files of a day. `counts` is true for the score of a name that counts.",
    )}
  </p>
  <h3 id="files-query">DuckDB and pandas</h3>
  ${codeBlock(local)}
  <h3 id="files-bucket">The bucket</h3>
  <p>
    ${prose(
      "In an account of your own the output `LakeBucket` of the stack names the bucket; who may read it may read all projects. Below `words/` lies the index of words for `q`: words and the starts of traces that have them. " +
        "When a day is written again, its new file is stored and published, then the earlier one is deleted: for seconds a folder has both, and a reader of the folder that has listed it before finds one missing. " +
        "Query again after an error, or download by links: those of a reply name the files of one moment, and one whose file was replaced since is answered 404 or 403, so that the request has to be sent again.",
    )}
  </p>
  ${codeBlock(bucket)}
  <h3 id="files-athena">Athena</h3>
  <p>
    ${prose("For what one machine cannot answer: `GET /traces` reads the files of closed days itself, so that its filters and orders have no limit of rows there, but 12 s. Run the statements once, with the name of the bucket; a query names its project.")}
  </p>
  ${codeBlock(athenaTable("traces"))} ${codeBlock(athenaTable("scores"))} ${codeBlock(athenaTable("spans"))}
  ${codeBlock(athenaQuery)}
  <h3 id="files-engine">Where DuckDB is missing</h3>
  <p>
    ${prose(
      "The service writes files by DuckDB. `npm ci` installs it for `npm start` unless optional packages are left out; `npm run deploy` packs it into a layer of the function that writes. " +
        "Without it all else works, and `POST /exports` answers 409.",
    )}
  </p>
</section>`;
