import { Bell as BellIcon } from "lucide";
import { useEffect } from "preact/hooks";
import { plural } from "../format.ts";
import { whenIdle } from "../in-flight.ts";
import { Icon } from "../display/icon.tsx";
import { hrefTo } from "../route.ts";
import { client } from "../sign-in.ts";
import { useLoad } from "../use-load.ts";
import { collect } from "../use-paged-list.ts";
import { alertList, raisedOf } from "./alert-list.ts";

/** Milliseconds between requests for the rules while the page is visible. */
const refreshInterval = 60_000;

/** Link to the alerts with the number of rules in ALERT. It loads the rules, which the page of alerts shows too. */
export const Bell = () => {
  const state = useLoad(
    async (signal) => {
      // The first request waits for those of the page.
      if (alertList.peek()?.value == null) await whenIdle();
      return await collect(client.value.each.listAlerts(undefined, { signal }));
    },
    [],
    refreshInterval,
  );
  const { value, error, isLoading } = state;
  useEffect(() => {
    alertList.value = state;
  }, [value, error, isLoading]);
  useEffect(
    () => () => {
      alertList.value = null;
    },
    [],
  );
  const raised = raisedOf(value ?? []).length;
  const label = raised === 0 ? "No alerts" : plural(raised, "alert");
  return (
    <a class={raised === 0 ? "bell" : "bell bad"} href={hrefTo("alerts")} aria-label={label} title={label}>
      <Icon node={BellIcon} />
      {raised > 0 && <b>{raised}</b>}
    </a>
  );
};
