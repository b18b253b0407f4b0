import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, type ContextManager, ROOT_CONTEXT } from "@opentelemetry/api";

/** Context manager that follows asynchronous calls; OpenTelemetry's API has none of its own. */
export class AsyncContext implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();
  active = (): Context => this.#storage.getStore() ?? ROOT_CONTEXT;
  with: ContextManager["with"] = (context, run, self, ...args) =>
    this.#storage.run(context, () => run.apply(self, args));
  bind: ContextManager["bind"] = (_held, target) => target;
  enable = (): this => this;
  disable = (): this => this;
}
