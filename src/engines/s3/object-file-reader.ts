import { Readable } from 'node:stream';
import type { FileReader, FileState } from '../../backup/file-access.port.js';
import type { Log } from '../../kernel/log.js';
import { Bucket } from './bucket.js';
import { bucketOwnerKey, readBucketOwner } from './bucket-identity.js';
import { keyOf } from './object-quarantine.js';
import { isMissingKey } from './s3-errors.js';
import type { S3Options } from './s3-options.js';
import { S3Servers } from './s3-servers.js';
import { withExplainedErrors } from './with-explained-errors.js';

/** Opens a reader for the files in a bucket that the service may be using. */
export function objectFileReader(s3: S3Options, log: Log): FileReader {
  const servers = new S3Servers(s3, log);
  const bucket = new Bucket(servers);
  const pathOf = (checksum: string, state: FileState = 'stored') =>
    state === 'stored' ? keyOf(checksum) : `quarantine/${checksum}`;
  const openAt = async (checksum: string, state: FileState) => {
    try {
      const { content } = await bucket.open(pathOf(checksum, state));
      return { content: Readable.from(content(), { objectMode: false }), state };
    } catch (error) {
      if (isMissingKey(error)) return undefined;
      throw error;
    }
  };
  return {
    // The service may move the file during the lookup.
    open: (checksum) =>
      withExplainedErrors(
        servers,
        async () =>
          (await openAt(checksum, 'stored')) ??
          (await openAt(checksum, 'quarantined')) ??
          (await openAt(checksum, 'stored')),
      ),
    async *list(state) {
      for await (const keys of bucket.list(state === 'stored' ? '' : 'quarantine/')) {
        yield keys.flatMap((key) => {
          const [, folder, checksum] = /^(quarantine|[0-9a-f]{2})\/([0-9a-f]{64})$/.exec(key) ?? [];
          const isThere = (folder === 'quarantine') === (state === 'quarantined');
          return checksum !== undefined && isThere ? [checksum] : [];
        });
      }
    },
    findOwner: () => withExplainedErrors(servers, () => readBucketOwner(bucket)),
    ownerRecordPath: `s3://${bucket.name}/${bucket.prefix}${bucketOwnerKey}`,
    describe: (checksum, state) => `s3://${bucket.name}/${bucket.prefix}${pathOf(checksum, state)}`,
    close: async () => servers.close(),
  };
}
