import { plural } from "../format.ts";
import { Select, titlesByName } from "../parts/controls.tsx";
import { ErrorAlert } from "../parts/error-alert.tsx";
import { updateQuery } from "../route.ts";
import { useLoad } from "../use-load.ts";
import { proposedSides, readSides, type SideField, sideFields } from "./sides.ts";

interface SidesProps {
  readonly baseline: string;
  readonly candidate: string;
  /** Start of the window, ISO 8601. */
  readonly from: string | undefined;
}

const titles = { baseline: "Baseline", candidate: "Candidate" } as const;

const names = ["baseline", "candidate"] as const;

/** Two lists of the values of a fact, with their numbers of traces. Without sides the two most frequent ones are chosen. */
const ValueFields = ({ by, from, ...sides }: SidesProps & { readonly by: SideField }) => {
  const isChosen = sides.baseline !== "" && sides.candidate !== "";
  const { value, error, reload } = useLoad(
    async (signal) => {
      const values = await readSides(by, from, signal);
      const proposed = isChosen ? null : await proposedSides(by, values, signal);
      if (proposed !== null) updateQuery({ baseline: proposed[0], candidate: proposed[1] });
      return values;
    },
    [by, from, isChosen],
  );
  return (
    <>
      {names.map((name) => {
        // A side of the address may have no traces in the window.
        const isKnown = value?.some(({ side }) => side === sides[name]) === true;
        return (
          <label key={name}>
            {titles[name]}{" "}
            <select value={sides[name]} onChange={({ currentTarget }) => updateQuery({ [name]: currentTarget.value })}>
              {!isKnown && <option value={sides[name]}>{sides[name] || "none"}</option>}
              {value?.map(({ value: title, side, traces }) => (
                <option key={side} value={side}>
                  {title} ({plural(traces, "trace")})
                </option>
              ))}
            </select>
          </label>
        );
      })}
      {value !== null && value.length < 2 && <span class="faint">Fewer than two values of it.</span>}
      <ErrorAlert error={error} reload={reload} />
    </>
  );
};

/** Filters of both sides as text. */
const FilterFields = (sides: Pick<SidesProps, "baseline" | "candidate">) => (
  <form
    class="filters"
    key={JSON.stringify(sides)}
    onSubmit={(event) => {
      event.preventDefault();
      const form = new FormData(event.currentTarget);
      const entries = [...form].flatMap(([name, text]) => (typeof text === "string" ? [[name, text.trim()]] : []));
      updateQuery(Object.fromEntries(entries));
    }}
  >
    {names.map((name) => (
      <label key={name}>
        {titles[name]}{" "}
        <input
          name={name}
          placeholder="release:2.3,environment:production"
          required
          dir="auto"
          defaultValue={sides[name]}
        />
      </label>
    ))}
    <button type="submit">Compare</button>
  </form>
);

const isSideField = (by: string): by is SideField => Object.hasOwn(sideFields, by);

/** Fields for both sides of a comparison: values of a fact of traces, or filters; runs have fields of their own. */
export const SideFields = ({ by, ...sides }: SidesProps & { readonly by: string }) => (
  <>
    <label>
      By{" "}
      <Select
        value={by}
        options={{ ...titlesByName(sideFields), run: "run", filters: "filters" }}
        onSelect={(next) =>
          updateQuery(next === "filters" ? { by: next } : { by: next, baseline: null, candidate: null })
        }
      />
    </label>
    {isSideField(by) && <ValueFields key={by} by={by} {...sides} />}
    {!isSideField(by) && by !== "run" && <FilterFields baseline={sides.baseline} candidate={sides.candidate} />}
  </>
);
