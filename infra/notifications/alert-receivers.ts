import type { Destination } from "../settings/notification-settings.ts";

/** Returns the destinations that are told of alerts, as the console shows them to members: no address and no path of a webhook. */
export const alertReceivers = (destinations: Readonly<Record<string, Destination>>) =>
  Object.entries(destinations)
    // Alerts are among the kinds that are sent by default.
    .filter(([, { kinds }]) => kinds?.includes("alert.raised") ?? true)
    .map(([name, { emails = [], webhook }]) => ({
      name,
      emails: emails.length,
      webhook: webhook === undefined ? null : new URL(webhook.url).hostname,
    }));
