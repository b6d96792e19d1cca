import type { Job } from './background-job.js';
import { Fault, quoted } from './fault.js';
import { type AgeDeps, removalByAgeJob } from './removal-by-age.js';
import type { RepeatTransaction, Writer } from './repeat-store.port.js';
import type { UnitOfWork } from './unit-of-work.js';

/** Time for which a write can be repeated. */
const keptMs = 7 * 86_400_000;

/** A request that its sender may repeat without performing it twice. */
export interface KeyedRequest {
  readonly writer: Writer;
  readonly key: string;
  readonly fingerprint: string;
  /** Time in milliseconds since the epoch. */
  readonly atMs: number;
}

/** Converts a result to a JSON record and back. */
export interface ResultCodec<T> {
  readonly toRecord: (result: T) => unknown;
  readonly fromRecord: (record: unknown) => T | Promise<T>;
}

/** Finds results that were stored with a key but without a record. */
export interface UnrecordedResults<Tx, T> {
  readonly findUnrecorded?: (tx: Tx, request: KeyedRequest) => Promise<T | undefined>;
}

/** Returns the codec for results that are themselves JSON. */
export function asRecorded<T>(): ResultCodec<T> {
  return { toRecord: (result) => result, fromRecord: (record) => record as T };
}

/**
 * Runs `work` with a storage that records its result. `work` must perform a single write and resolve to the result of
 * that write, which is recorded in the same transaction. If the same request was performed before, nothing is written,
 * and the first result is returned. If its fingerprint was removed, any request with the key counts as the same.
 * @param request undefined: the sender cannot repeat the request, and nothing is recorded
 * @throws Fault unprocessable `request.key-reused` when a different request used the key; errors of `work`
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
    if (recorded && recorded.fingerprint !== '' && recorded.fingerprint !== fingerprint) throw keyReused(key);
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

/** Error that ends the transaction of a repeated request without effect. */
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

/** Returns the job that removes expired idempotency keys. */
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
