import { setTimeout as sleep } from 'node:timers/promises';
import type { Bucket } from './bucket.js';

/** The object that names the logbook to which the bucket belongs. */
export const bucketOwnerKey = 'store-id';

/** How long a new object may take until it can be read. */
const readableWithinMs = 5_000;
const pauseMs = 100;

/** The bucket, or this prefix of it, belongs to another logbook or lacks the files of this one. */
export class ForeignBucket extends Error {}

export interface BucketOwner {
  readonly storeId: string;
  /** Whether entries of the logbook have files. */
  readonly hasFiles: boolean;
}

/** Returns the id of the logbook that the bucket belongs to; undefined when it says nothing. */
export async function readBucketOwner(bucket: Bucket, options?: { isRepeated: boolean }): Promise<string | undefined> {
  return (await bucket.readText(bucketOwnerKey, options))?.trim() || undefined;
}

/** Other nodes may have written it at the same moment: some servers say so before they return it. */
async function readNewOwner(bucket: Bucket, options?: { isRepeated: boolean }): Promise<string> {
  for (const endMs = performance.now() + readableWithinMs; ; await sleep(pauseMs)) {
    const owner = await readBucketOwner(bucket, options);
    if (owner !== undefined) return owner;
    if (performance.now() < endMs) continue;
    throw new ForeignBucket(
      `${describeBucket(bucket)} has an object ${bucketOwnerKey} that names no logbook. Nothing was changed. Correct s3Bucket and s3Prefix, or remove the object from a bucket that has nothing else.`,
    );
  }
}

/**
 * Checks that the bucket belongs to the logbook, and records it in a new one.
 * @throws ForeignBucket
 */
export async function claimBucket(
  bucket: Bucket,
  { storeId, hasFiles }: BucketOwner,
  options?: { isRepeated: boolean },
): Promise<void> {
  const found = await readBucketOwner(bucket, options);
  const place = describeBucket(bucket);
  if (found === undefined) {
    const holdsBlobs = await holdsAnything(bucket);
    if (hasFiles || holdsBlobs) {
      const state = holdsBlobs ? 'does not say to which logbook its files belong' : 'is empty, but entries have files';
      throw new ForeignBucket(
        `${place} ${state}: it has no object ${bucketOwnerKey}. Nothing was changed. Correct s3Bucket and s3Prefix. If these are the files of this logbook, store the text ${storeId} as the object ${bucket.prefix}${bucketOwnerKey}.`,
      );
    }
    await bucket.createText(bucketOwnerKey, `${storeId}\n`, options);
  }
  // Another logbook may have been faster.
  const owner = found ?? (await readNewOwner(bucket, options));
  if (owner === storeId) return;
  throw new ForeignBucket(
    `${place} belongs to the logbook ${owner}, but the database belongs to the logbook ${storeId}. Nothing was changed. Correct s3Bucket, s3Prefix or the database; each logbook needs a bucket or a prefix of its own.`,
  );
}

/** The place of the files, as an operator can read it. */
export function describeBucket({ name, prefix }: Bucket): string {
  return prefix === '' ? `The bucket “${name}”` : `The prefix “${prefix}” of the bucket “${name}”`;
}

async function holdsAnything(bucket: Bucket): Promise<boolean> {
  for await (const keys of bucket.list('')) {
    if (keys.some((found) => /^([0-9a-f]{2}|quarantine)\/[0-9a-f]{64}$/.test(found))) return true;
  }
  return false;
}
