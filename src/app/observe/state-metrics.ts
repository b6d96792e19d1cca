import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { ServiceOptions } from '../../config/service-options.js';
import type { RequestMetrics } from '../../http/metrics.js';
import type { Clock } from '../../kernel/clock.js';
import { findLedgerLag } from '../../ledger/ledger-lag.js';
import type { Notifications } from '../open-notifications.js';
import type { Stores } from '../open-storage.js';

interface Deps {
  readonly metrics: RequestMetrics;
  readonly stores: Stores;
  readonly notifications: Notifications;
  readonly clock: Clock;
}

type MeasuredOptions = Pick<ServiceOptions, 'storage' | 'backup'>;

/** Adds the metrics that are read from storage, disks and subscribers at each scrape. */
export function measureState(deps: Deps, options: MeasuredOptions): void {
  measureSearchLag(deps.metrics, deps.stores);
  measureReaders(deps);
  measureDisks(deps.metrics, options);
  const { metrics, stores, clock } = deps;
  metrics.storedGauge('logbook_sessions', 'Sessions that have not expired, of all nodes together.', () =>
    stores.storage.committed.sessions.count(clock.nowMs()),
  );
  metrics.storedGauge(
    'logbook_ledger_lag_seconds',
    'For how long the oldest record has waited to be entered into the ledger; 0 when none waits.',
    async () => (await findLedgerLag(stores.storage.committed.ledger, clock.nowMs())) / 1_000,
  );
}

function measureSearchLag(metrics: RequestMetrics, { positions }: Stores): void {
  if (!positions) return;
  metrics.gauge(
    'logbook_search_lag_seconds',
    'Maximum age of a write that searches on this node may lack; +Inf until they have caught up once.',
    () => (positions.lagMs ?? Number.POSITIVE_INFINITY) / 1_000,
  );
}

function measureReaders({ metrics, stores, notifications, clock }: Deps): void {
  const { subscribers, feed } = notifications;
  const seconds = (ms: number) => Math.max(0, ms) / 1_000;
  metrics.storedGaugePer(
    'subscriber',
    'logbook_subscriber_lag_seconds',
    'Age of the oldest change that the subscriber has not received and that was not passed over; 0 when there is none. Only for subscribers to which this node delivers.',
    async () => (await subscribers.lags(clock.nowMs())).map(({ name, lagMs }) => [name, seconds(lagMs)] as const),
  );
  metrics.storedGaugePer(
    'subscriber',
    'logbook_subscriber_dead_letters',
    'Deliveries to the subscriber that failed for good and were not removed. Only for subscribers to which this node delivers.',
    async () => (await subscribers.lags(clock.nowMs())).map(({ name, deadLetters }) => [name, deadLetters] as const),
  );
  metrics.storedGauge(
    'logbook_live_lag_seconds',
    'Age of the oldest change that connected clients of this node have not been notified of; 0 when there is none.',
    async () => seconds(await feed.lagMs(clock.nowMs())),
  );
  metrics.storedGauge(
    'logbook_feed_held_back_seconds',
    'Age of the oldest change that no reader gets yet, because a transaction is open in the database; 0 when there is none.',
    async () => {
      const nowMs = clock.nowMs();
      return seconds(nowMs - ((await stores.storage.committed.feed.heldBackSinceMs()) ?? nowMs));
    },
  );
  metrics.storedGauge(
    'logbook_search_unindexed_writes',
    'Writes that the search index does not contain yet. Searches still find them, but become slower.',
    async () => (await stores.searchIndex.status()).unindexedWrites,
  );
  metrics.storedGaugePer(
    'kind',
    'logbook_search_results',
    'Results of searches since the start: computed, or reused from an earlier or concurrent search.',
    async () => Object.entries((await stores.searchIndex.status()).results ?? {}),
  );
}

function measureDisks(metrics: RequestMetrics, options: MeasuredOptions): void {
  const disks = listDirectories(options).map(([name, dir]) => [name, diskReader(dir)] as const);
  const read = (measure: (disk: StatsFs) => number) =>
    Promise.all(
      disks.map(async ([name, readDisk]) => {
        const disk = await readDisk().catch(() => undefined);
        return [name, disk && measure(disk)] as const;
      }),
    );
  metrics.storedGaugePer(
    'directory',
    'logbook_disk_free_bytes',
    'Free space of the disk with the directory: data, attachments (if they are elsewhere) or backups (if they are in a directory).',
    () => read(({ bavail, bsize }) => bavail * bsize),
  );
  metrics.storedGaugePer('directory', 'logbook_disk_size_bytes', 'Size of the disk with the directory.', () =>
    read(({ blocks, bsize }) => blocks * bsize),
  );
}

/**
 * Returns a reader of the free space of a disk. A file server that does not respond blocks at most one thread,
 * regardless of the number of reads.
 */
function diskReader(dir: string): () => Promise<StatsFs> {
  let reading: Promise<StatsFs> | undefined;
  return () => {
    reading ??= statfs(dir).finally(() => {
      reading = undefined;
    });
    return reading;
  };
}

/** Lists the directories that may be on different disks. */
function listDirectories({ storage, backup }: MeasuredOptions): (readonly [name: string, dir: string])[] {
  const { target } = backup;
  return [
    ['data', storage.dataDir],
    ...(storage.kind === 'postgres' && storage.blobs.kind === 'files'
      ? [['attachments', storage.attachmentsDir] as const]
      : []),
    ...(target?.kind === 'directory' ? [['backups', target.dir] as const] : []),
  ];
}
