import { AbortMultipartUploadCommand, ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import type { Job } from '../../kernel/background-job.js';
import type { Log } from '../../kernel/log.js';
import type { Bucket } from './bucket.js';
import type { BucketAccess } from './bucket-access.js';
import { isRunning } from './create-in-parts.js';

const dayMs = 86_400_000;
const pageSize = 200;
/** Keys of attachment files, of their copies in quarantine, and of replica snapshots, which another process sends. */
const ours = /^([0-9a-f]{2}\/[0-9a-f]{64}|quarantine\/[0-9a-f]{64}|replica-snapshots\/[0-9a-f-]+[.][a-z]+[.]gz)$/;

interface Deps {
  readonly bucket: Bucket;
  readonly access: BucketAccess;
  readonly log: Log;
}

/**
 * Aborts unfinished multipart uploads, whose parts take space without belonging to an object. Only uploads of this
 * logbook that exceed the maximum age by the clock of the object storage are aborted.
 * @param maxAgeMs maximum duration of an upload
 */
export function uploadExpiryJob({ bucket, access, log }: Deps, maxAgeMs = dayMs): Job {
  return {
    name: 'upload-expiry',
    delayMs: 60_000,
    intervalMs: 3_600_000,
    retryMs: 600_000,
    failure: 'ending unfinished uploads failed; will retry',
    async run(signal) {
      await access.require();
      let count = 0;
      for await (const { key, uploadId, ageMs } of listUploads(bucket)) {
        signal.throwIfAborted();
        const isExpired = ageMs !== undefined && ageMs >= maxAgeMs;
        if (!isExpired || isRunning(uploadId)) continue;
        const command = new AbortMultipartUploadCommand({ Bucket: bucket.name, Key: key, UploadId: uploadId });
        await bucket.servers.send((attempt) => attempt.client.send(command, { abortSignal: attempt.signal }));
        count += 1;
      }
      if (count > 0) log.info({ count }, 'unfinished uploads ended');
      return 'idle';
    },
  };
}

interface UnfinishedUpload {
  readonly key: string;
  readonly uploadId: string;
  /** Undefined if the server sends no time. */
  readonly ageMs: number | undefined;
}

async function* listUploads(bucket: Bucket): AsyncGenerator<UnfinishedUpload> {
  let next: { readonly KeyMarker?: string | undefined; readonly UploadIdMarker?: string | undefined } = {};
  for (;;) {
    const { page, serverTimeMs } = await listPage(bucket, next);
    for (const { Key = '', UploadId, Initiated } of page.Uploads ?? []) {
      const isOurs = ours.test(Key.slice(bucket.prefix.length));
      if (!isOurs || UploadId === undefined || Initiated === undefined) continue;
      const ageMs = serverTimeMs === undefined ? undefined : serverTimeMs - Initiated.getTime();
      yield { key: Key, uploadId: UploadId, ageMs };
    }
    if (!page.IsTruncated || !page.NextKeyMarker) return;
    next = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
  }
}

async function listPage(bucket: Bucket, from: object) {
  const command = new ListMultipartUploadsCommand({
    Bucket: bucket.name,
    Prefix: bucket.prefix,
    MaxUploads: pageSize,
    ...from,
  });
  let serverTimeMs: number | undefined;
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { headers } = result.response as { readonly headers?: Readonly<Record<string, string>> };
      const timeMs = Date.parse(headers?.date ?? '');
      serverTimeMs = Number.isNaN(timeMs) ? undefined : timeMs;
      return result;
    },
    { step: 'deserialize', priority: 'low' },
  );
  const page = await bucket.servers.send(({ client, signal }) => client.send(command, { abortSignal: signal }));
  return { page, serverTimeMs };
}
