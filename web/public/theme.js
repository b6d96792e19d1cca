// Sets the theme before the first paint. It blocks the page for that, so it stays small and external.
(() => {
  const root = document.documentElement;
  let theme = 'system';
  let density = 'default';
  try {
    theme = localStorage.getItem('logbook.theme') ?? theme;
    density = localStorage.getItem('logbook.density') ?? density;
  } catch {
    // Storage is switched off: the system's theme applies.
  }
  const dark = matchMedia('(prefers-color-scheme: dark)');
  root.dataset.theme = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
  root.dataset.density = density;
})();
