/** Runs the function when the page is left or hidden, until the function that is returned is called. */
export function whenPageEnds(run: () => void): () => void {
  const runHidden = () => document.visibilityState === 'hidden' && run();
  addEventListener('pagehide', run);
  document.addEventListener('visibilitychange', runHidden);
  return () => {
    removeEventListener('pagehide', run);
    document.removeEventListener('visibilitychange', runHidden);
  };
}
