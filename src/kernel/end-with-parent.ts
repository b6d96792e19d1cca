import { Worker } from 'node:worker_threads';

const checkIntervalMs = 50;

// A thread of its own, for when the main thread is blocked while the parent has ended.
const watchdog = `
  const { workerData } = require('node:worker_threads');
  setInterval(() => {
    const isTooLarge = process.memoryUsage.rss() > workerData.memoryBytes;
    if (isTooLarge || process.ppid !== workerData.parent) process.kill(process.pid, 'SIGKILL');
  }, ${checkIntervalMs});
`;

/**
 * Makes this process end with its parent, whatever it is doing then.
 * @param parentPid as the parent says, since it may have ended already
 * @param memoryBytes it also ends when its resident memory is larger, where the operating system does not limit that
 */
export function endWithParent(parentPid: number, memoryBytes = Number.POSITIVE_INFINITY): void {
  process.on('disconnect', () => process.exit());
  new Worker(watchdog, { eval: true, workerData: { memoryBytes, parent: parentPid } }).unref();
}
