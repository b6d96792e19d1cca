/** A page that always has something to do runs the task after this time. */
const latestMs = 10_000;

/** Runs the task once the page is loaded and has nothing to do. */
export function whenIdle(task: () => void): void {
  const begin = () => {
    // Not in Safari.
    if (typeof requestIdleCallback === 'function') requestIdleCallback(() => task(), { timeout: latestMs });
    else setTimeout(task, 1_000);
  };
  if (document.readyState === 'complete') begin();
  else addEventListener('load', begin, { once: true });
}
