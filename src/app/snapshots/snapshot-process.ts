import { pino } from 'pino';
import { serveTask } from '../run-in-process.js';
import { fetchParts } from './fetch-parts.js';
import { makeParts } from './make-parts.js';
import { withSnapshotPlace } from './open-snapshot-place.js';
import type { SnapshotTask, SnapshotTaskResult } from './snapshot-task.js';

/** The program of the process that makes and fetches snapshots. */
serveTask<SnapshotTask, SnapshotTaskResult>((task, onProgress) =>
  withSnapshotPlace({ ...task, log: pino({ level: 'silent' }) }, async (place) => {
    if (task.kind === 'make') return makeParts(task, place);
    await fetchParts(task, place, onProgress);
    return { kind: 'fetched' };
  }),
);
