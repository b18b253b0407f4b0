/**
 * Opens links between pages of the console for a new tab by `window.open`, because such a tab gets a copy of the session storage
 * and is signed in. It can reach this one by `window.opener`, so links to other origins are left to the browser.
 */
export const keepSignInInNewTabs = (): void => {
  const open = (event: MouseEvent): void => {
    const { target, button, ctrlKey, metaKey } = event;
    const link = target instanceof Element ? target.closest("a") : null;
    const isElsewhere = button === 1 || (button === 0 && (ctrlKey || metaKey));
    if (!isElsewhere || link === null || link.hash === "") return;
    if (link.origin !== location.origin || link.pathname !== location.pathname) return;
    event.preventDefault();
    window.open(link.href);
  };
  addEventListener("click", open);
  addEventListener("auxclick", open);
};
