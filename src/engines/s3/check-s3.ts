import type { Finding } from '../../kernel/finding.js';
import type { Log } from '../../kernel/log.js';
import { Bucket } from './bucket.js';
import { bucketOwnerKey, describeBucket, readBucketOwner } from './bucket-identity.js';
import { describeS3Error, S3Error, toS3Error } from './s3-errors.js';
import type { S3Options } from './s3-options.js';
import { S3Servers } from './s3-servers.js';

/** Checks that each endpoint responds, that the bucket exists, and that the access key may use it. Changes nothing. */
export async function checkS3(options: S3Options, log: Log): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const endpoint of options.endpoints)
    findings.push(await checkEndpoint({ ...options, endpoints: [endpoint] }, log));
  return findings;
}

async function checkEndpoint(options: S3Options, log: Log): Promise<Finding> {
  const servers = new S3Servers(options, log);
  const bucket = new Bucket(servers);
  const [endpoint = ''] = options.endpoints;
  try {
    const owner = await readBucketOwner(bucket, { isRepeated: false });
    for await (const _keys of bucket.list('')) break;
    const place = `${describeBucket(bucket)} at ${endpoint}`;
    if (owner === '')
      return { isProblem: true, text: `${place} has an object ${bucketOwnerKey} that names no logbook` };
    if (owner !== undefined) await checkConditionalWrites(bucket, owner);
    return {
      isProblem: false,
      text: owner === undefined ? `${place} belongs to no logbook yet` : `${place} belongs to the logbook ${owner}`,
    };
  } catch (error) {
    return { isProblem: true, text: describeS3Error(toS3Error(error), options, endpoint) };
  } finally {
    servers.close();
  }
}

/** Attempts to create an object that already exists, which must fail. */
async function checkConditionalWrites(bucket: Bucket, owner: string): Promise<void> {
  const isStored = await bucket.createText('store-id', `${owner}\n`, { isRepeated: false });
  if (isStored) throw new S3Error('NotImplemented', 501, false);
}
