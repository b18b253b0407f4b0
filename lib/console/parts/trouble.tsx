import { ApiError } from "../../client/errors.ts";

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What went wrong, what the service calls it, and another try. */
export const Trouble = ({ error, again }: { readonly error: unknown; readonly again: () => void }) => (
  <div class="trouble" role="alert">
    <p>{messageOf(error)}</p>
    {error instanceof ApiError && error.requestId !== null && <p class="faint">Request {error.requestId}</p>}
    <button type="button" onClick={again}>
      Try again
    </button>
  </div>
);
