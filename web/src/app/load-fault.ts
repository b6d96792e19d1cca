/** Messages of Chromium, Firefox, Safari and Vite about code that could not be loaded. */
const messages = /dynamically imported module|importing a module script failed|unable to preload/i;
const answerWithinMs = 5_000;

/**
 * Tries again what has failed. Code that could not be loaded fails for as long as the page is open: React keeps the error,
 * and most browsers keep it too. Then the page is loaded again, if the service answers; texts that are written stay.
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
