import type { Job } from './background-job.js';
import { Fault, quoted } from './fault.js';
import { type AgeDeps, removalByAgeJob } from './removal-by-age.js';
import type { RepeatTransaction, Writer } from './repeat-store.port.js';
import type { UnitOfWork } from './unit-of-work.js';

/** How long a write can be repeated. */
const keptMs = 7 * 86_400_000;

/** A request whose sender may repeat it without doing it twice. */
export interface KeyedRequest {
  readonly writer: Writer;
  readonly key: string;
  readonly fingerprint: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

/** How a result is recorded, as JSON, and restored. */
export interface ResultCodec<T> {
  readonly toRecord: (result: T) => unknown;
  readonly fromRecord: (record: unknown) => T | Promise<T>;
}

/** Finds results that were stored under a key without a record. */
export interface UnrecordedResults<Tx, T> {
  readonly findUnrecorded?: (tx: Tx, request: KeyedRequest) => Promise<T | undefined>;
}

/** Returns the codec of results that are JSON themselves. */
export function asRecorded<T>(): ResultCodec<T> {
  return { toRecord: (result) => result, fromRecord: (record) => record as T };
}

/**
 * Runs `work`, whose only write must resolve to its result, with a storage that records the result in the transaction of
 * that write. When the same request was done before, nothing is written, and the first result is returned.
 * @param request undefined: its sender cannot repeat it, and nothing is recorded
 * @throws Fault unprocessable `request.key-reused` when another request was done under the key; what `work` throws
 */
export async function writeOnce<Tx extends RepeatTransaction, Committed, T>(
  storage: UnitOfWork<Tx, Committed>,
  request: KeyedRequest | undefined,
  codec: ResultCodec<T> & UnrecordedResults<Tx, T>,
  work: (storage: UnitOfWork<Tx, Committed>) => Promise<T>,
): Promise<T> {
  if (!request) return work(storage);
  const { writer, key, fingerprint, atMs } = request;
  const requireNew = async (tx: Tx) => {
    const [recorded, unrecorded] = await Promise.all([
      tx.repeats.find(writer, key),
      codec.findUnrecorded?.(tx, request),
    ]);
    if (recorded && recorded.fingerprint !== fingerprint) throw keyReused(key);
    if (recorded) throw new DoneBefore(() => codec.fromRecord(JSON.parse(recorded.result)));
    if (unrecorded) throw new DoneBefore(() => unrecorded);
  };
  const recording: UnitOfWork<Tx, Committed> = {
    committed: storage.committed,
    write: (write) =>
      storage.write(async (tx) => {
        await requireNew(tx);
        const result = await write(tx);
        const record = JSON.stringify(codec.toRecord(result as unknown as T) ?? null);
        await tx.repeats.put(writer, key, { fingerprint, result: record }, atMs);
        return result;
      }),
  };
  try {
    return await work(recording);
  } catch (error) {
    if (error instanceof DoneBefore) return error.result() as T | Promise<T>;
    throw error;
  }
}

/** Ends the transaction of a repeated request without an effect. */
class DoneBefore extends Error {
  constructor(readonly result: () => unknown) {
    super('the write was done before');
  }
}

function keyReused(key: string): Fault {
  return new Fault(
    'unprocessable',
    'request.key-reused',
    `The Idempotency-Key ${quoted(key)} belongs to another request: its address or its body differs. Use a new key for each request, and the same one only to repeat it unchanged.`,
  );
}

/** Returns the job that forgets the keys of writes that are no longer repeated. */
export function keyExpiryJob({
  storage,
  ...age
}: AgeDeps & { readonly storage: UnitOfWork<RepeatTransaction, unknown> }): Job {
  return removalByAgeJob(
    {
      name: 'idempotency-key-expiry',
      failure: 'removing expired idempotency keys failed; will retry',
      keptMs,
      remove: (beforeMs, limit) => storage.write((tx) => tx.repeats.removeBefore(beforeMs, limit)),
    },
    age,
  );
}
