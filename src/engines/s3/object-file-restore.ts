import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileRestore } from '../../backup/file-access.port.js';
import type { Log } from '../../kernel/log.js';
import { Bucket } from './bucket.js';
import { describeBucket, readBucketOwner } from './bucket-identity.js';
import { explained } from './explained.js';
import { keyOf } from './object-quarantine.js';
import type { S3Options } from './s3-options.js';
import { S3Servers } from './s3-servers.js';
import { storeObject } from './store-object.js';

/**
 * Restores files into a bucket, or a prefix of it, in which nothing is.
 * @param startOver accepts what an interrupted restore has left there
 * @throws Error when something is there
 */
export async function openObjectFileRestore(
  s3: S3Options,
  stagingDir: string,
  startOver: boolean,
  log: Log,
): Promise<FileRestore> {
  const servers = new S3Servers(s3, log);
  const bucket = new Bucket(servers);
  try {
    await explained(servers, () => requireFree(bucket, startOver));
  } catch (error) {
    servers.close();
    throw error;
  }
  await mkdir(stagingDir, { recursive: true, mode: 0o700 });
  return {
    async add(file, content) {
      const staged = join(stagingDir, file.checksum);
      try {
        const handle = await open(staged, 'w', 0o600);
        try {
          for await (const chunk of content) await handle.writeFile(chunk);
        } finally {
          await handle.close();
        }
        await explained(servers, () => storeObject(bucket, keyOf(file.checksum), staged, file, { replace: true }));
      } finally {
        await rm(staged, { force: true });
      }
    },
    async complete(storeId) {
      await explained(servers, () => bucket.createText('store-id', `${storeId}\n`));
    },
    async close() {
      await rm(stagingDir, { recursive: true, force: true });
      servers.close();
    },
  };
}

async function requireFree(bucket: Bucket, startOver: boolean): Promise<void> {
  const owner = await readBucketOwner(bucket);
  const place = describeBucket(bucket);
  if (owner !== undefined) {
    throw new Error(
      `${place} has the files of the logbook ${owner}. A restore overwrites nothing, and nothing was changed. Choose another bucket or prefix.`,
    );
  }
  for await (const keys of bucket.list('')) {
    if (keys.length === 0 || startOver) return;
    throw new Error(
      `${place} is not empty: it has ${keys[0]}. A restore overwrites nothing, and nothing was changed. Choose another bucket or prefix; if this is what an interrupted restore has left, run it again with --start-over.`,
    );
  }
}
