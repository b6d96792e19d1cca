import { pino } from 'pino';
import { serveTask } from '../run-in-process.js';
import { fetchParts } from './fetch-parts.js';
import { makeParts } from './make-parts.js';
import { withSnapshotStore } from './open-snapshot-store.js';
import type { ReplicaSnapshotTask, ReplicaSnapshotTaskResult } from './snapshot-task.js';

/** Program of the process that makes and fetches snapshots. */
serveTask<ReplicaSnapshotTask, ReplicaSnapshotTaskResult>((task, onProgress) =>
  withSnapshotStore({ ...task, log: pino({ level: 'silent' }) }, async (store) => {
    if (task.kind === 'make') return makeParts(task, store);
    await fetchParts(task, store, onProgress);
    return { kind: 'fetched' };
  }),
);
