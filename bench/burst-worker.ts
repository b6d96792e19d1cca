import { parentPort, workerData } from 'node:worker_threads';
import { drive } from './load.js';
import { createEntry, type RequestCredentials } from './requests.js';

/** A burst in which one program creates many entries. */
export interface Burst {
  readonly origin: string;
  readonly requests: number;
  readonly connections: number;
  readonly credentials: RequestCredentials;
}

// Runs in a thread of its own, because its work would add to the latencies that the main thread measures.
const { origin, requests, connections, credentials } = workerData as Burst;
let sent = 0;
parentPort?.postMessage(
  await drive(origin, connections, () => (sent < requests ? createEntry(sent++, credentials) : undefined)),
);
