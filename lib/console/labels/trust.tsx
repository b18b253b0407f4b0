import { NotFoundError } from "../../client/errors.ts";
import type { LabelSet, Trust } from "../../client/interface.ts";
import { plural } from "../format.ts";
import { useAction } from "../parts/action.tsx";
import { Select } from "../parts/controls.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { DataTable } from "../parts/wide-table.tsx";
import { hrefTo, route, updateQuery } from "../route.ts";
import { client } from "../sign-in.ts";
import { boundedText } from "../trends/interval-bar.tsx";
import { useLoad } from "../use-load.ts";

const fitTexts = {
  gate: "Fit for gates: its verdicts may stop a release.",
  trend: "Fit for trends: its averages show changes, but should stop no release.",
  exploration: "Fit for exploration: it finds traces worth reading, but its averages are not reliable.",
  unknown: "Not shown to be fit for anything.",
} as const;

const cells = {
  tp: "Judge and people pass",
  fp: "The judge passes, people fail",
  fn: "The judge fails, people pass",
  tn: "Judge and people fail",
} as const;

type Cell = keyof typeof cells;

const isCell = (name: string | undefined): name is Cell => name !== undefined && Object.hasOwn(cells, name);

const share = (value: number | null): string => (value === null ? "–" : `${(value * 100).toFixed(0)} %`);

const figures: readonly (readonly [title: string, textOf: (trust: Trust) => string | number])[] = [
  ["labels compared (n)", ({ n }) => n],
  ["pass by the labels", ({ base_rate: rate }) => share(rate)],
  ["agreement", ({ agreement }) => share(agreement)],
  ["agreement of always the commoner verdict", ({ majority_baseline: rate }) => share(rate)],
  ["agreement of people", ({ people }) => `${share(people.agreement)} of ${plural(people.pairs, "pair")}`],
  ["kappa", ({ kappa }) => boundedText(kappa)],
  ["sensitivity: passes what people pass", ({ sensitivity }) => boundedText(sensitivity)],
  ["specificity: fails what people fail", ({ specificity }) => boundedText(specificity)],
  ["labels without a verdict", ({ missing }) => missing],
  ["ties, nobody can tell", ({ ties, cannot_tell: doubts }) => `${ties}, ${doubts}`],
];

/** What a judge is worth on the labels of a set: figures with intervals, and the matrix, whose cells list their traces. */
export const TrustSection = ({ set: { id: set_id, metrics } }: { readonly set: LabelSet }) => {
  const { metric = metrics[0]?.name ?? "", judge = "", cell } = route.value.query;
  const [path, body] = [{ set_id }, judge === "" ? { metric } : { metric, judge }];
  const { value, ...trust } = useLoad(
    (signal) =>
      client.value.getTrust({ path, query: body }, { signal }).catch((error: unknown) => {
        if (error instanceof NotFoundError) return null;
        throw error;
      }),
    [metric, judge],
  );
  const groups = useLoad(
    (signal) => client.value.getTraceScoreSummary({ query: { metric_name: metric, group_by: ["judge"] } }, { signal }),
    [metric],
  );
  const items = useLoad(
    async (signal) =>
      isCell(cell) && value !== null
        ? await client.value.listLabelItems({ path, query: { ...body, cell, limit: 2_000 } }, { signal })
        : null,
    [metric, judge, cell, value],
  );
  const judges = (groups.value ?? []).flatMap(({ group }) => group?.["judge"] ?? []);
  const { perform, isBusy, errorAlert } = useAction();
  const compare = () => perform(() => client.value.computeTrust({ path, body }).then(trust.reload));
  const options = { metric: metrics.map(({ name }) => name), judge: ["", ...judges] };
  const select = (name: "metric" | "judge", selected: string) => (
    <label>
      {name}{" "}
      <Select<string>
        value={selected}
        options={Object.fromEntries(options[name].map((each) => [each, each.replaceAll("_", " ") || "any"]))}
        onSelect={(next) => updateQuery({ judge: null, cell: null, [name]: next })}
      />
    </label>
  );
  const matrixColumn = (head: string, at: 1 | 2) =>
    [
      head,
      (row: readonly [string, Cell, Cell]) => (
        <a href={hrefTo("label-sets", set_id, { metric, judge, cell: row[at] })} title={cells[row[at]]}>
          {value?.confusion[row[at]]}
        </a>
      ),
    ] as const;
  return (
    <section class="of-session" aria-labelledby="trust">
      <h2 id="trust">What the judge is worth</h2>
      <div class="filters">
        {select("metric", metric)}
        {select("judge", judge)}
        <button type="button" class="writes" disabled={isBusy} onClick={() => void compare()}>
          Compare judge and labels
        </button>
      </div>
      {errorAlert}
      <ErrorAlert {...trust} />
      <ErrorAlert {...groups} />
      <ErrorAlert {...items} />
      {value === null && !trust.isLoading && <p class="faint">Not compared yet.</p>}
      {value !== null && (
        <>
          <p class={`verdict ${value.fit_for === "unknown" ? "" : "good"}`} role="status">
            <b>{fitTexts[value.fit_for]}</b> {value.reason}{" "}
            {!value.is_test && "The metric's text has changed since, so these labels do not test it."}
          </p>
          <DataTable
            label="Confusion matrix"
            rows={
              [
                ["judge passes", "tp", "fp"],
                ["judge fails", "fn", "tn"],
              ] as const
            }
            columns={[["", ([title]) => title], matrixColumn("people pass", 1), matrixColumn("people fail", 2)]}
          />
          <DataTable
            label="Traces of the cell"
            rows={items.value?.items}
            columns={[
              [isCell(cell) && cells[cell], ({ trace_id: id }) => <a href={hrefTo("traces", id)}>{id}</a>],
              ["labels", ({ labels }) => labels.map(({ values }) => values[metric] ?? "cannot tell").join(", ")],
              ["notes", ({ labels }) => <span dir="auto">{labels.flatMap(({ note }) => note ?? []).join(" · ")}</span>],
            ]}
          />
          <DataTable
            label="Figures"
            rows={figures}
            columns={[
              ["figure", ([title]) => title],
              ["value (95 %)", ([, textOf]) => textOf(value)],
            ]}
          />
        </>
      )}
    </section>
  );
};
