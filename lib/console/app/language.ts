/**
 * Makes the browser's language "en" if it is no language tag, as `en-US@posix` of Chromium with a POSIX locale: the library of the charts
 * gives it to `Intl` while it is loaded, which throws a RangeError. Called before pages are loaded.
 */
export const nameKnownLanguage = (): void => {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, "language", { value: "en" });
  }
};
