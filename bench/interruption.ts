/**
 * Runs a program that starts others. The first SIGINT or SIGTERM aborts the signal, so that the program ends what it
 * has started; the second one ends the program immediately.
 */
export async function runInterruptibly(run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => interruption.abort(new Error('interrupted')));
  }
  try {
    await run(interruption.signal);
  } catch (error) {
    // Errors after an interruption are its consequence.
    if (!interruption.signal.aborted) console.error((error as Error).message);
    process.exitCode = 1;
  }
  // Clients may wait for servers that have ended.
  if (interruption.signal.aborted) process.exit(130);
}
