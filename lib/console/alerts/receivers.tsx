import type { AlertPreview } from "../../client/interface.ts";
import { useAction } from "../parts/action.tsx";
import { LocalTime } from "../parts/labels.tsx";
import { client } from "../sign-in.ts";
import { windowTitles, type RuleAlert } from "./words.ts";

/** Milliseconds after its creation within which a rule is first evaluated, as the service promises. */
const firstCheckTime = 4 * 60_000;

/** When a rule is evaluated first, and then. @param rule null for one that is not saved yet. */
export const FirstCheck = ({
  window,
  rule,
}: {
  readonly window: RuleAlert["window"];
  readonly rule: RuleAlert | null;
}) => {
  if (rule !== null && (!rule.enabled || rule.window_end !== null)) return null;
  return (
    <p>
      First check{" "}
      {rule === null ? (
        "within four minutes after it is saved"
      ) : (
        <>
          by <LocalTime at={new Date(Date.parse(rule.created_at) + firstCheckTime).toISOString()} />
        </>
      )}
      , of the last full window; then every {windowTitles[window]}.
    </p>
  );
};

const receiverText = ({ name, emails, webhook }: AlertPreview["receivers"][number]): string => {
  const ways = [emails === 0 ? [] : `e-mail to ${emails}`, webhook ?? []].flat();
  return `${name} (${ways.join(", ")})`;
};

/** Who is told of an alert. */
export const Receivers = ({ receivers }: { readonly receivers: AlertPreview["receivers"] }) => (
  <p>
    {receivers.length === 0
      ? "Nobody is told by e-mail or webhook, because the operator of this service has set no destination. The bell above shows alerts, and the event bus has them."
      : `Told of an alert: ${receivers.map(receiverText).join("; ")}. The bell above shows it, too.`}
  </p>
);

/** Button that sends a test alert the way of a real one. */
export const SendTest = ({ rule: { id } }: { readonly rule: Pick<RuleAlert, "id"> }) => {
  const { perform, isBusy, outcome } = useAction();
  const send = () =>
    perform(async () => {
      await client.value.testAlert({ path: { alert_id: id } });
      return "Sent: the test is on the event bus, and arrives in seconds where alerts do. It begins with “Test:”.";
    });
  return (
    <div class="writes">
      <button type="button" disabled={isBusy} onClick={() => void send()}>
        Send a test
      </button>
      {outcome}
    </div>
  );
};
