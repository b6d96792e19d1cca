import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceOptions } from '../../config/service-options.js';
import type { OpenSearchOptions } from '../../engines/opensearch/opensearch-options.js';
import { documentsFile } from '../../engines/sqlite/inspect-documents.js';
import type { Log } from '../../kernel/log.js';
import type { Diagnosis } from './diagnosis.js';
import { readServerTime } from './probe-server.js';

/** Tolerance: HTTP dates have one-second resolution and the network adds latency. */
const toleranceMs = 5_000;
/** Difference above which identity providers and object storage refuse requests. */
const refusedMs = 240_000;

/** Compares the clock of this machine with those of the configured servers, and with the last write. */
export async function* checkClock(options: ServiceOptions, log: Log): AsyncGenerator<Diagnosis> {
  const { storage, auth } = options;
  let compared = 0;
  const compare = (name: string, aheadMs: number): Diagnosis => {
    compared += 1;
    return describeOffset(name, aheadMs);
  };
  if (storage.kind === 'postgres') {
    const { readServerClock } = await import('../../engines/postgres/check-postgres.js');
    const beganMs = Date.now();
    const serverMs = await readServerClock(storage.postgres, log).catch(() => undefined);
    // Opening the connection takes longer than reading the time, so the middle of this interval says little.
    if (serverMs !== undefined) yield compare('PostgreSQL', offsetBetween(serverMs, beganMs, Date.now()));
  }
  const urls = [
    ...(storage.blobs.kind === 's3' ? storage.blobs.s3.endpoints : []),
    ...(auth.oidc ? [auth.oidc.issuer] : []),
  ];
  for (const url of urls) {
    const time = await readServerTime(url).catch(() => undefined);
    if (time) yield compare(new URL(url).host, time.hereMs - time.serverMs);
  }
  if (storage.index.kind === 'opensearch') {
    for await (const [name, aheadMs] of readNodeOffsets(storage.index.opensearch, log)) yield compare(name, aheadMs);
  }
  const behindMs = storage.kind === 'embedded' ? await behindLastWrite(storage.dataDir) : undefined;
  if (behindMs !== undefined && behindMs > toleranceMs) {
    const text = `the clock is ${seconds(behindMs)} before the last write of the logbook`;
    const advice = 'It was set back, or is wrong. Correct it before the service stores more.';
    yield { check: 'clock', status: behindMs > refusedMs ? 'problem' : 'warning', text, advice };
  } else if (behindMs !== undefined) {
    yield { check: 'clock', status: 'ok', text: 'the clock is after the last write of the logbook' };
  } else if (compared === 0) {
    yield { check: 'clock', status: 'ok', text: 'there is nothing to compare the clock with' };
  }
}

/** Yields the host of each node that answers, and the lead of the local clock over the node's clock. */
async function* readNodeOffsets(options: OpenSearchOptions, log: Log): AsyncGenerator<[string, number]> {
  const { readNodeClock } = await import('../../engines/opensearch/check-opensearch.js');
  for (const node of options.nodes) {
    const beganMs = Date.now();
    const nodeMs = await readNodeClock({ ...options, nodes: [node] }, log).catch(() => undefined);
    if (nodeMs !== undefined) yield [new URL(node).host, offsetBetween(nodeMs, beganMs, Date.now())];
  }
}

function describeOffset(name: string, aheadMs: number): Diagnosis {
  const offMs = Math.abs(aheadMs);
  if (offMs <= toleranceMs) return { check: 'clock', status: 'ok', text: `the clock agrees with that of ${name}` };
  return {
    check: 'clock',
    status: offMs > refusedMs ? 'problem' : 'warning',
    text: `the clock is ${seconds(offMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} that of ${name}`,
    advice: 'Synchronize the clocks of both machines, for example with chrony.',
  };
}

/** Returns the lead of the local clock over a time that was read between two moments; 0 when the clocks may agree. */
function offsetBetween(serverMs: number, beganMs: number, endedMs: number): number {
  if (serverMs < beganMs) return beganMs - serverMs;
  return serverMs > endedMs ? endedMs - serverMs : 0;
}

/** Returns how far the clock is behind the last change of the database files; undefined when there are none. */
async function behindLastWrite(dataDir: string): Promise<number | undefined> {
  const files = [documentsFile, `${documentsFile}-wal`].map((name) => join(dataDir, name));
  const times = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => Number.NEGATIVE_INFINITY,
      ),
    ),
  );
  const newestMs = Math.max(...times);
  return newestMs === Number.NEGATIVE_INFINITY ? undefined : newestMs - Date.now();
}

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;
