import { parentPort, workerData } from 'node:worker_threads';
import { drive } from './load.js';
import { createEntry, type RequestCredentials } from './requests.js';

/** A burst of creates by one program. */
export interface Burst {
  readonly origin: string;
  readonly requests: number;
  readonly connections: number;
  readonly evidence: RequestCredentials;
}

// A thread of its own, so that its work does not count as latency of the person.
const { origin, requests, connections, evidence } = workerData as Burst;
let sent = 0;
parentPort?.postMessage(
  await drive(origin, connections, () => (sent < requests ? createEntry(sent++, evidence) : undefined)),
);
