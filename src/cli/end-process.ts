const graceMs = 2_000;

/**
 * Ends the process with `process.exitCode` after `delayMs`, unless it ends sooner because nothing keeps it running.
 * Everything that the service opens is closed by then. The remaining causes are timers and connections that a plug-in
 * left open, and a stop that takes too long after a second signal.
 */
export function endProcess(delayMs: number = graceMs): void {
  setTimeout(() => process.exit(), delayMs).unref();
}
