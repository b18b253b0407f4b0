import { eventAnnouncer, type EventSource } from "../events/announce.ts";
import { eventBus } from "../events/event-bus.ts";
import { required, variables } from "./environment.ts";

/** Reads the deployment's name and base URL for events. @throws Error with the name of a missing variable. */
export const environmentEventSource = (): EventSource => ({
  stage: required(variables.stage),
  serviceUrl: required(variables.serviceUrl),
});

/** Creates the access to the event bus that the environment names. */
export const environmentEventBus = () => eventBus(undefined, process.env[variables.eventBus]);

/** Creates the announcement of events, configured from the environment. @throws Error with the name of a missing variable. */
export const environmentAnnouncer = (organizationOf: (project: string) => Promise<string | null>) =>
  eventAnnouncer({ ...environmentEventSource(), organizationOf, bus: environmentEventBus() });
