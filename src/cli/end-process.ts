const graceMs = 2_000;

/**
 * Ends the process with `process.exitCode` after `delayMs`, unless it ends sooner because nothing is left to do. That
 * is what happens with everything of our own. This is for timers and connections that a plug-in left open, which only
 * the plug-in could close, and for a stop that takes too long after a second signal. Nothing else ends the process.
 */
export function endProcess(delayMs: number = graceMs): void {
  setTimeout(() => process.exit(), delayMs).unref();
}
