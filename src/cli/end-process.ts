const graceMs = 2_000;

/**
 * Ends the process with `process.exitCode` after `delayMs`, unless it ends sooner because nothing keeps it running.
 * Everything that the service opens is normally closed by then. Only timers and connections that a plug-in left open,
 * or a stop that takes too long after a second signal, can still keep the process running.
 */
export function endProcess(delayMs: number = graceMs): void {
  setTimeout(() => process.exit(), delayMs).unref();
}
