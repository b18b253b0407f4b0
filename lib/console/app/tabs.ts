/** Opens links for a new tab by `window.open`, because such a tab gets a copy of the session storage and is signed in. */
export const keepSignInInNewTabs = (): void => {
  const open = (event: MouseEvent): void => {
    const { target, button, ctrlKey, metaKey } = event;
    const link = target instanceof Element ? target.closest("a") : null;
    const isElsewhere = button === 1 || (button === 0 && (ctrlKey || metaKey));
    if (!isElsewhere || link === null || link.hash === "" || link.pathname !== location.pathname) return;
    event.preventDefault();
    window.open(link.href);
  };
  addEventListener("click", open);
  addEventListener("auxclick", open);
};
