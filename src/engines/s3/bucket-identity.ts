import type { Bucket } from './bucket.js';

/** Key of the object that names the owner of the bucket. */
export const bucketOwnerKey = 'store-id';

/** Error for a bucket or prefix that belongs to another logbook or lacks the files of this one. */
export class ForeignBucket extends Error {}

export interface BucketOwner {
  readonly storeId: string;
  /** Whether entries of the logbook have files. */
  readonly hasFiles: boolean;
}

/** Returns the id of the logbook that owns the bucket; '' if the record is empty, undefined if there is none. */
export async function readBucketOwner(bucket: Bucket, options?: { isRepeated: boolean }): Promise<string | undefined> {
  return (await bucket.readText(bucketOwnerKey, options))?.trim();
}

/**
 * Checks that the bucket belongs to the logbook, and records the ownership of a new bucket.
 * @throws ForeignBucket
 */
export async function claimBucket(bucket: Bucket, { storeId, hasFiles }: BucketOwner): Promise<void> {
  const place = describeBucket(bucket);
  let owner = await readBucketOwner(bucket);
  const holdsBlobs = owner === undefined && (await holdsAnything(bucket));
  if (owner === undefined && !hasFiles && !holdsBlobs) await bucket.createText(bucketOwnerKey, `${storeId}\n`);
  // Another node may have written it just now.
  owner ||= (await bucket.awaitText(bucketOwnerKey))?.trim();
  if (owner === storeId) return;
  if (owner) {
    throw new ForeignBucket(
      `${place} belongs to the logbook ${owner}, but the database belongs to the logbook ${storeId}. Nothing was changed. Correct s3Bucket, s3Prefix or the database; each logbook needs a bucket or a prefix of its own.`,
    );
  }
  throw new ForeignBucket(
    `${place} ${describeMissing(owner, { hasFiles, holdsBlobs })}. Nothing was changed. Correct s3Bucket and s3Prefix. If these are the files of this logbook, store the text ${storeId} as the object ${bucket.prefix}${bucketOwnerKey}.`,
  );
}

function describeMissing(
  owner: string | undefined,
  found: { readonly hasFiles: boolean; readonly holdsBlobs: boolean },
) {
  if (owner === '') return `has an object ${bucketOwnerKey} that names no logbook`;
  const missing = `it has no object ${bucketOwnerKey}`;
  if (found.holdsBlobs) return `does not say to which logbook its files belong: ${missing}`;
  if (found.hasFiles) return `is empty, but entries have files: ${missing}`;
  return `reports that the object ${bucketOwnerKey} exists, but does not return it`;
}

/** Describes the location of the files for the operator. */
export function describeBucket({ name, prefix }: Bucket): string {
  return prefix === '' ? `The bucket “${name}”` : `The prefix “${prefix}” of the bucket “${name}”`;
}

async function holdsAnything(bucket: Bucket): Promise<boolean> {
  for await (const keys of bucket.list('')) {
    if (keys.some((found) => /^([0-9a-f]{2}|quarantine)\/[0-9a-f]{64}$/.test(found))) return true;
  }
  return false;
}
