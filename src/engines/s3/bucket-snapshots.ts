import { Readable } from 'node:stream';
import type { Log } from '../../kernel/log.js';
import type { ReplicaSnapshotStore } from '../../search/replica/replica-snapshot-store.port.js';
import { snapshotFolder } from '../replica-snapshot-options.js';
import { Bucket } from './bucket.js';
import { describeBucket, readBucketOwner } from './bucket-identity.js';
import { isMissingKey, S3Error } from './s3-errors.js';
import type { S3Options } from './s3-options.js';
import { S3Servers } from './s3-servers.js';
import { storeObject } from './store-object.js';
import { withExplainedErrors } from './with-explained-errors.js';

/** Maximum number of consecutive resumptions of a download without progress. */
const maxFruitless = 3;

/**
 * Opens the replica snapshots in the bucket with the files of a logbook.
 * @throws Error when the bucket belongs to another logbook, or cannot be used
 */
export async function openBucketSnapshots(s3: S3Options, storeId: string, log: Log): Promise<ReplicaSnapshotStore> {
  const servers = new S3Servers(s3, log);
  const bucket = new Bucket(servers);
  const keyOf = (object: string) => `${snapshotFolder}/${object}`;
  const request = <T>(work: () => Promise<T>) => withExplainedErrors(servers, work);
  try {
    const owner = await request(() => readBucketOwner(bucket));
    if (owner !== storeId) throw new Error(`${describeBucket(bucket)} belongs to another logbook.`);
  } catch (error) {
    servers.close();
    throw error;
  }
  return {
    name: `s3://${bucket.name}/${bucket.prefix}${snapshotFolder}`,
    list: () =>
      request(async () => {
        const objects: string[] = [];
        for await (const keys of bucket.list(keyOf('')))
          objects.push(...keys.map((key) => key.slice(keyOf('').length)));
        return objects;
      }),
    open: (object) =>
      request(async () => {
        const found = await bucket.find(keyOf(object));
        return found && Readable.from(readPersistently(bucket, keyOf(object), found), { objectMode: false });
      }),
    async store(object, path, file) {
      await request(() => storeObject(bucket, keyOf(object), { ...file, path }, { replace: true }));
    },
    remove: (object) => request(() => bucket.remove(keyOf(object))),
    freeBytes: async () => undefined,
    close: () => servers.close(),
  };
}

/** Reads an object to the end, and resumes after a broken connection. The caller verifies the content. */
async function* readPersistently(
  bucket: Bucket,
  key: string,
  { size, version }: { readonly size: number; readonly version: string },
): AsyncGenerator<Buffer> {
  let fruitless = 0;
  for (let start = 0; start < size; ) {
    try {
      const found = await bucket.open(key, { start, end: size - 1 });
      if (found.version !== version) throw new Error(`the object ${key} was replaced while it was read`);
      for await (const chunk of found.content()) {
        start += chunk.length;
        fruitless = 0;
        yield chunk;
      }
    } catch (error) {
      fruitless += 1;
      if (isMissingKey(error) || !(error instanceof S3Error) || fruitless > maxFruitless) throw error;
    }
  }
}
