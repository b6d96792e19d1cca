/** Maximum delay of the task on a page that is never idle. */
const latestMs = 10_000;

/** Runs the task once the page is loaded and idle. */
export function whenIdle(task: () => void): void {
  const begin = () => {
    // Safari lacks this function.
    if (typeof requestIdleCallback === 'function') requestIdleCallback(() => task(), { timeout: latestMs });
    else setTimeout(task, 1_000);
  };
  if (document.readyState === 'complete') begin();
  else addEventListener('load', begin, { once: true });
}
