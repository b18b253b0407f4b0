import { CircleUser } from "lucide";
import { Select } from "../parts/controls.tsx";
import { Icon } from "../display/icon.tsx";
import { signOutEverywhere } from "../sign-in.ts";
import { theme, themes } from "../theme.ts";

/** Button that opens the color scheme and the end of the session. */
export const AccountMenu = () => (
  <>
    <button type="button" class="quiet" popovertarget="account" aria-label="Account">
      <Icon node={CircleUser} />
      <span>Account</span>
    </button>
    <div id="account" popover="auto" class="account">
      <label class="choice">
        Colors <Select value={theme.value} options={themes} onSelect={(next) => (theme.value = next)} />
      </label>
      <button type="button" onClick={() => void signOutEverywhere()}>
        Sign out
      </button>
    </div>
  </>
);
