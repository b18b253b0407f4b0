import { resolveModel } from "../domain/model.ts";
import type { Complete } from "./completion.ts";
import { offline } from "./providers/offline.ts";
import { openai } from "./providers/openai.ts";
import type { Provider } from "./providers/provider.ts";
import { storedSettings, type ParameterNames, type ReadParameter } from "./provider-settings.ts";

/** A model that can be called, or what to configure first. */
export type Connection =
  | {
      readonly ready: true;
      readonly model: string;
      readonly complete: Complete;
      /** Whether other settings are stored by now than this connection has: a key that was refused may be an old one. */
      readonly renewed: () => Promise<boolean>;
    }
  | { readonly ready: false; readonly message: string };

/** Finds the way to a model, `<provider>/<model>`. Rejects when the settings could not be read at all. */
export type Connect = (model: string) => Promise<Connection>;

const providers: Readonly<Record<string, Provider>> = { openai, offline };

/**
 * Connections to providers. The client of a provider, and with it its open sockets, is kept until its settings change.
 *
 * @param now epoch milliseconds.
 */
export const createConnections = (names: ParameterNames, readParameter: ReadParameter, now: () => number): Connect => {
  const kept = new Map<string, { readonly settings: string; readonly complete: Complete }>();
  return async (given) => {
    const model = resolveModel(given);
    if (model === null)
      return { ready: false, message: `The judge model '${given}' is not of the form <provider>/<model>.` };
    const provider = Object.hasOwn(providers, model.provider) ? providers[model.provider] : undefined;
    if (provider === undefined) {
      const known = Object.keys(providers).join(", ");
      return { ready: false, message: `Provider '${model.provider}' is not known here. Known providers: ${known}.` };
    }
    const stored = await storedSettings(model.provider, provider, names, readParameter);
    if ("missing" in stored) return { ready: false, message: stored.missing };
    const settings = JSON.stringify(stored.settings);
    let connection = kept.get(model.provider);
    if (connection?.settings !== settings) {
      connection = { settings, complete: provider.connect(stored.settings, now) };
      kept.set(model.provider, connection);
    }
    const renewed = async (): Promise<boolean> => {
      const fresh: ReadParameter = (name) => readParameter(name, { fresh: true });
      const current = await storedSettings(model.provider, provider, names, fresh).catch(() => stored);
      return "settings" in current && JSON.stringify(current.settings) !== settings;
    };
    return { ready: true, model: model.name, complete: connection.complete, renewed };
  };
};
