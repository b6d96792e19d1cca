import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileReference, FileRestore } from '../../backup/file-access.port.js';
import { decodeMark, encodeMark, type RestoreRun, refusalOf, restoreMarkName } from '../../backup/restore-mark.js';
import type { Log } from '../../kernel/log.js';
import { DamagedFile } from '../verified-blobs.js';
import { Bucket } from './bucket.js';
import { bucketOwnerKey, describeBucket, readBucketOwner } from './bucket-identity.js';
import { keyOf } from './object-quarantine.js';
import { isMissingKey } from './s3-errors.js';
import type { S3Options } from './s3-options.js';
import { S3Servers } from './s3-servers.js';
import { storeObject } from './store-object.js';
import { withExplainedErrors } from './with-explained-errors.js';

/**
 * Restores files into an empty bucket or prefix, which stays marked until `removeBucketMark`.
 * @throws Error when it is not empty, unless its mark permits replacement
 */
export async function openObjectFileRestore(
  s3: S3Options,
  stagingDir: string,
  run: RestoreRun,
  log: Log,
): Promise<FileRestore> {
  const servers = new S3Servers(s3, log);
  const bucket = new Bucket(servers);
  let isResumed: boolean;
  try {
    isResumed = await withExplainedErrors(servers, () => markFree(bucket, run));
  } catch (error) {
    servers.close();
    throw error;
  }
  await mkdir(stagingDir, { recursive: true, mode: 0o700 });
  let isUsed = isResumed;
  return {
    has: async (file) => isResumed && withExplainedErrors(servers, () => isIntact(bucket, file)),
    async add(file, content) {
      isUsed = true;
      const staged = join(stagingDir, file.checksum);
      try {
        const handle = await open(staged, 'w', 0o600);
        try {
          for await (const chunk of content) await handle.writeFile(chunk);
        } finally {
          await handle.close();
        }
        await withExplainedErrors(servers, () =>
          storeObject(bucket, keyOf(file.checksum), { ...file, path: staged }, { replace: true }),
        );
      } finally {
        await rm(staged, { force: true });
      }
    },
    async complete(storeId) {
      isUsed = true;
      await withExplainedErrors(servers, () => bucket.createText(bucketOwnerKey, `${storeId}\n`, { replaces: true }));
    },
    async close() {
      await rm(stagingDir, { recursive: true, force: true });
      // The restore was refused, or failed before it stored anything.
      if (!isUsed) await bucket.remove(restoreMarkName).catch(() => undefined);
      servers.close();
    },
  };
}

/** Removes the mark, so that the restored bucket can be used; no effect without a mark. */
export async function removeBucketMark(s3: S3Options, log: Log): Promise<void> {
  const servers = new S3Servers(s3, log);
  try {
    await withExplainedErrors(servers, () => new Bucket(servers).remove(restoreMarkName));
  } finally {
    servers.close();
  }
}

/** Marks the bucket before anything else is stored in it; returns whether it was already marked. */
async function markFree(bucket: Bucket, { mark, mayReplace }: RestoreRun): Promise<boolean> {
  const found = await bucket.readText(restoreMarkName);
  if (found === undefined) await requireEmpty(bucket);
  else if (!mayReplace(decodeMark(found))) throw refusalOf(decodeMark(found), `s3://${bucket.name}/${bucket.prefix}`);
  const isMarked = await bucket.createText(restoreMarkName, encodeMark(mark), { replaces: found !== undefined });
  // Another restore marked the bucket first.
  if (!isMarked) throw notEmpty(bucket, restoreMarkName);
  return found !== undefined;
}

async function isIntact(bucket: Bucket, file: FileReference): Promise<boolean> {
  try {
    await bucket.verify(keyOf(file.checksum), file);
    return true;
  } catch (error) {
    if (error instanceof DamagedFile || isMissingKey(error)) return false;
    throw error;
  }
}

async function requireEmpty(bucket: Bucket): Promise<void> {
  const owner = await readBucketOwner(bucket);
  if (owner !== undefined) {
    throw new Error(
      `${describeBucket(bucket)} has the files of the logbook ${owner}. A restore overwrites nothing, and nothing was changed. Choose another bucket or prefix.`,
    );
  }
  for await (const [key] of bucket.list('')) {
    if (key !== undefined) throw notEmpty(bucket, key);
  }
}

function notEmpty(bucket: Bucket, key: string): Error {
  return new Error(
    `${describeBucket(bucket)} is not empty: it has ${key}. A restore overwrites nothing, and nothing was changed. Choose another bucket or prefix.`,
  );
}
