import type { Budget, Spend } from "../../client/interface.ts";
import { useLoad } from "../use-load.ts";
import { LocalTime } from "./labels.tsx";
import { client, currentViewer } from "../sign-in.ts";
import { dollars } from "../format.ts";

/** Label and color class of a ceiling's usage; the operator is alerted at the same 80 %. */
const usageLevel = (percent: number): { readonly word: string; readonly tone: string } => {
  if (percent >= 100) return { word: "used up", tone: "bad" };
  return percent >= 80 ? { word: "nearly used up", tone: "warn" } : { word: "", tone: "faint" };
};

const Meter = ({ spent, reserved }: { readonly spent: number; readonly reserved: number }) => (
  <span class="meter" aria-hidden="true">
    <span class="spent" style={{ width: `${Math.min(100, spent * 100)}%` }} />
    <span class="reserved" style={{ width: `${Math.min(100, reserved * 100)}%` }} />
  </span>
);

const Percent = ({ percent }: { readonly percent: number }) => {
  const { word, tone } = usageLevel(percent);
  return (
    <span class={tone}>
      {percent} %{word === "" ? "" : `, ${word}`}
    </span>
  );
};

const BudgetRow = ({ label, budget }: { readonly label: string; readonly budget: Budget }) => {
  const { ceiling_usd: ceiling, spent_usd: spent, reserved_usd: reserved, left_usd: remaining } = budget;
  return (
    <li class="ceiling">
      <span>
        {label}: <b>{dollars(spent)}</b> of {dollars(ceiling)} spent
        {reserved > 0 && `, ${dollars(reserved)} reserved for running judgements`}, {dollars(remaining)} left
      </span>
      <Meter spent={spent / ceiling} reserved={reserved / ceiling} />
      <Percent percent={budget.used_percent} />
    </li>
  );
};

/** Loads the usage of the monthly ceilings. @param interval milliseconds between reloads; null for none. */
export const useSpend = (interval: number | null = null) => {
  const viewer = currentViewer.value;
  const project = viewer?.kind === "key" ? viewer.projectName : viewer?.projectId;
  return useLoad((signal) => client.value.getSpend({}, { signal }), [project], interval);
};

/** Monthly ceilings of the project, the organization and the deployment, with their usage and the start of the next month. */
export const MonthlyCeilings = ({ spend }: { readonly spend: Spend }) => {
  const { project, organization, deployment, notice, period_end: end } = spend;
  if ((project ?? organization ?? deployment) === null) return <p class="warn">{notice}</p>;
  return (
    <>
      <ul class="ceilings">
        {project !== null && <BudgetRow label="This project" budget={project} />}
        {organization !== null && <BudgetRow label="The organization, all projects" budget={organization} />}
        {deployment !== null && (
          <li class="ceiling">
            <span>
              Your share of the whole deployment's ceiling (amounts are visible to the operator only)
              {deployment.is_used_up && <b class="bad">, which is used up</b>}
            </span>
            <Meter spent={deployment.used_percent / 100} reserved={0} />
            <Percent percent={deployment.used_percent} />
          </li>
        )}
      </ul>
      <p class="faint">
        At a ceiling runs wait. They continue when the month ends (<LocalTime at={end} />) or the operator raises it.
      </p>
    </>
  );
};

/** Ceiling usage above the list of runs; renders nothing without ceilings. @param interval milliseconds between reloads. */
export const RunCeilings = ({ interval }: { readonly interval: number | null }) => {
  const { value, error, reload } = useSpend(interval);
  if (error !== null)
    return (
      <p class="faint">
        Ceiling usage is unavailable.{" "}
        <button type="button" class="quiet" onClick={reload}>
          Try again
        </button>
      </p>
    );
  if (value === null || (value.project ?? value.organization ?? value.deployment) === null) return null;
  return (
    <section class="of-runs" aria-label="Monthly spend">
      <MonthlyCeilings spend={value} />
    </section>
  );
};
