import { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { extractText } from './extract-text.js';
import { type FileToExtract, readyMessage } from './extraction-process.js';

/** The program of the extraction process: answers each file with its text. */

const checkIntervalMs = 50;

// Where the operating system does not limit the memory, and for when this thread is blocked while the parent has ended.
const watchdog = `
  const { workerData } = require('node:worker_threads');
  setInterval(() => {
    const isTooLarge = process.memoryUsage.rss() > workerData.memoryBytes;
    if (isTooLarge || process.ppid !== workerData.parent) process.kill(process.pid, 'SIGKILL');
  }, ${checkIntervalMs});
`;
new Worker(watchdog, { eval: true, workerData: { memoryBytes: Number(process.argv[2]), parent: process.ppid } });

process.on('disconnect', () => process.exit());
process.on('message', ({ chunks, contentType }: FileToExtract) => {
  // A failure ends the process, which the parent takes for the answer.
  void extractText(async () => Readable.from(chunks), contentType).then((text) => process.send?.(text));
});
process.send?.(readyMessage);
