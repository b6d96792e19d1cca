/** Messages of Chromium, Firefox, Safari and Vite about code that could not be loaded. */
const messages = /dynamically imported module|importing a module script failed|unable to preload/i;
const answerWithinMs = 5_000;

/**
 * Retries a failed action. Code that could not be loaded keeps failing while the page is open, because React and most
 * browsers keep the error. In this case, the page is reloaded if the service answers; written texts are kept.
 */
export async function tryAgain(error: unknown, retry: () => void): Promise<void> {
  const isLoadFault = error instanceof Error && messages.test(error.message);
  if (isLoadFault && (await isReachable())) location.reload();
  else retry();
}

async function isReachable(): Promise<boolean> {
  const page = fetch('/', { cache: 'no-store', signal: AbortSignal.timeout(answerWithinMs) });
  return page.then(
    ({ ok }) => ok,
    () => false,
  );
}
