import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, type ContextManager, ROOT_CONTEXT } from "@opentelemetry/api";

/** Follows calls through promises; OpenTelemetry's API alone has no context. */
export class AsyncContext implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();
  active = (): Context => this.#storage.getStore() ?? ROOT_CONTEXT;
  with: ContextManager["with"] = (held, run, self, ...given) => this.#storage.run(held, () => run.apply(self, given));
  bind: ContextManager["bind"] = (_held, target) => target;
  enable = (): this => this;
  disable = (): this => this;
}
