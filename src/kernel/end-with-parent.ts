import { Worker } from 'node:worker_threads';

const checkIntervalMs = 50;

// Runs in a separate thread, because the main thread may be blocked when the parent ends.
const watchdog = `
  const { workerData } = require('node:worker_threads');
  setInterval(() => {
    const isTooLarge = process.memoryUsage.rss() > workerData.memoryBytes;
    if (isTooLarge || process.ppid !== workerData.parent) process.kill(process.pid, 'SIGKILL');
  }, ${checkIntervalMs});
`;

/**
 * Ends this process together with its parent, whatever it is doing.
 * @param parentPid id of the parent as passed by it, because it may already have ended
 * @param memoryBytes maximum resident memory, above which the process also ends; for systems that do not enforce a
 * limit
 */
export function endWithParent(parentPid: number, memoryBytes = Number.POSITIVE_INFINITY): void {
  process.on('disconnect', () => process.exit());
  new Worker(watchdog, { eval: true, workerData: { memoryBytes, parent: parentPid } }).unref();
}
