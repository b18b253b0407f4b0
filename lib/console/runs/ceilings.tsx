import type { Budget, Spend } from "../../client/interface.ts";
import { useLoad } from "../load.ts";
import { Instant } from "../parts/instant.tsx";
import { client, reader } from "../sign-in.ts";
import { dollars } from "../words.ts";

/** Of the month's money: 80 % is where the operator is told, too. */
const standing = (percent: number): { readonly word: string; readonly tone: string } => {
  if (percent >= 100) return { word: "used up", tone: "bad" };
  return percent >= 80 ? { word: "nearly used up", tone: "warn" } : { word: "", tone: "faint" };
};

const Meter = ({ spent, reserved }: { readonly spent: number; readonly reserved: number }) => (
  <span class="meter" aria-hidden="true">
    <span class="spent" style={{ width: `${Math.min(100, spent * 100)}%` }} />
    <span class="reserved" style={{ width: `${Math.min(100, reserved * 100)}%` }} />
  </span>
);

const Percent = ({ of: percent }: { readonly of: number }) => {
  const { word, tone } = standing(percent);
  return (
    <span class={tone}>
      {percent} %{word === "" ? "" : `, ${word}`}
    </span>
  );
};

const OfBudget = ({ label, budget }: { readonly label: string; readonly budget: Budget }) => {
  const { ceiling_usd: ceiling, spent_usd: spent, reserved_usd: reserved, left_usd: left } = budget;
  return (
    <li class="ceiling">
      <span>
        {label}: <b>{dollars(spent)}</b> of {dollars(ceiling)} spent
        {reserved > 0 && `, ${dollars(reserved)} set aside for judgements that go on`}, {dollars(left)} left
      </span>
      <Meter spent={spent / ceiling} reserved={reserved / ceiling} />
      <Percent of={budget.used_percent} />
    </li>
  );
};

/** What judging has used of the operator's ceilings, of which each can make runs wait. */
export const useSpend = (every: number | null = null) => {
  const who = reader.value;
  const project = who?.kind === "key" ? who.projectName : who?.projectId;
  return useLoad((signal) => client.value.getSpend({}, { signal }), [project], every);
};

/** The ceilings that there are, each with how much of it is used and when it is new. */
export const Ceilings = ({ spend }: { readonly spend: Spend }) => {
  const { project, organization, deployment, period_end: end } = spend;
  if (project === null && organization === null && deployment === null)
    return <p class="faint">The operator has set no ceiling of a month.</p>;
  return (
    <>
      <ul class="ceilings">
        {project !== null && <OfBudget label="This project" budget={project} />}
        {organization !== null && <OfBudget label="The organization, all projects" budget={organization} />}
        {deployment !== null && (
          <li class="ceiling">
            <span>The whole deployment’s ceiling; its amounts are the operator’s</span>
            <Meter spent={deployment.used_percent / 100} reserved={0} />
            <Percent of={deployment.used_percent} />
          </li>
        )}
      </ul>
      <p class="faint">
        At a ceiling runs wait, and go on by themselves when the month is over (<Instant at={end} />) or the operator
        raises it.
      </p>
    </>
  );
};

/** The ceilings above the runs that they hold back; nothing where there is none. */
export const CeilingsOfRuns = ({ every }: { readonly every: number | null }) => {
  const { value, error, again } = useSpend(every);
  if (error !== null)
    return (
      <p class="faint">
        What is used of the ceilings is not known at the moment.{" "}
        <button type="button" class="quiet" onClick={again}>
          Ask again
        </button>
      </p>
    );
  if (value === null || (value.project ?? value.organization ?? value.deployment) === null) return null;
  return (
    <section class="of-runs" aria-label="Spend of the month">
      <Ceilings spend={value} />
    </section>
  );
};
