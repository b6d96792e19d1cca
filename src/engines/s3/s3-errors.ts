import { Fault } from '../../kernel/fault.js';
import { diskFull } from '../../kernel/storage-faults.js';
import type { S3Options } from './s3-options.js';

/** Error response of the object storage, or the reason why it did not respond. Contains no secrets. */
export class S3Error extends Error {
  override readonly name = 'S3Error';

  constructor(
    /** Code such as `NoSuchKey` or `ECONNREFUSED`. */
    readonly code: string,
    /** HTTP status; undefined: no response. */
    readonly status: number | undefined,
    /** Whether the same request may succeed later. */
    readonly isTransient: boolean,
  ) {
    super(status === undefined ? `the object storage does not answer (${code})` : `${code} (status ${status})`);
  }
}

interface SdkError {
  readonly name?: string;
  /** String, or a number in web platform errors. */
  readonly code?: string | number;
  readonly Code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly clockSkewCorrected?: boolean };
}

const transientCodes = new Set([
  'SlowDown',
  'RequestTimeout',
  'InternalError',
  'ServiceUnavailable',
  'ThrottlingException',
  // A concurrent operation on the key may have stored the object, removed it, or failed.
  'ConditionalRequestConflict',
]);
const fullCodes = new Set(['QuotaExceeded', 'XMinioStorageFull', 'XMinioAdminBucketQuotaExceeded', 'NoSpaceLeft']);

/** Reduces an error of the client to the data that may be logged. */
export function toS3Error(error: unknown): S3Error {
  if (error instanceof S3Error) return error;
  const { name = 'Error', code, Code, $metadata } = error as SdkError;
  const status = $metadata?.httpStatusCode;
  if (status === undefined) {
    const reason = typeof code === 'string' ? code : name;
    return new S3Error(reason, undefined, !isTlsProblem(reason));
  }
  const found = Code ?? name;
  // The client has adopted the time of the server for signing the next request.
  const isCorrected = $metadata?.clockSkewCorrected === true;
  const isTransient = !isFull(found, status) && (status === 429 || (status >= 500 && status !== 501));
  return new S3Error(found, status, isTransient || isCorrected || transientCodes.has(found));
}

function isTlsProblem(code: string): boolean {
  return /^(EPROTO|ERR_SSL|ERR_TLS|CERT_|SELF_SIGNED|UNABLE_TO_|DEPTH_ZERO)/.test(code);
}

function isFull(code: string, status: number | undefined): boolean {
  return status === 507 || fullCodes.has(code);
}

export function isMissingKey(error: unknown): boolean {
  // A plain 404 may also mean an unknown bucket or access key.
  return error instanceof S3Error && error.code === 'NoSuchKey';
}

/** Whether the condition of a request failed: the object already exists, or has another version. */
export function isPreconditionFailed(error: unknown): boolean {
  return error instanceof S3Error && error.status === 412;
}

const retryAfterSeconds = 10;

/** Turns an error of the object storage into a Fault; returns other errors unchanged. */
export function s3Fault(error: unknown): unknown {
  if (!(error instanceof S3Error)) return error;
  if (isFull(error.code, error.status)) return diskFull(error);
  const reason = error.status === undefined || error.isTransient ? 'does not answer' : 'refuses the service';
  return new Fault(
    'unavailable',
    'storage.unavailable',
    `The object storage of the files ${reason}; nothing was stored. The log of the service has the reason. Try again later.`,
    { cause: error, retryAfterSeconds },
  );
}

/** Describes the problem with the object storage or its settings in one or two sentences. */
export function describeS3Error({ code, status }: S3Error, options: S3Options, endpoint: string): string {
  const { bucket, region, accessKey } = options;
  if (status === undefined) return describeNoAnswer(code, endpoint);
  switch (code) {
    case 'NoSuchBucket':
      return `There is no bucket “${bucket}” at ${endpoint}. Create it, or correct s3Bucket.`;
    case 'InvalidAccessKeyId':
    case 'XAdminUserNotFound':
      return `${endpoint} does not know the access key “${accessKey}”. Correct s3AccessKey.`;
    case 'SignatureDoesNotMatch':
      return `${endpoint} does not accept the secret key of the access key “${accessKey}”. Correct s3SecretKey or s3SecretKeyFile.`;
    case 'RequestTimeTooSkewed':
      return `The clock of this machine and that of ${endpoint} differ by more than 15 minutes. Synchronize both.`;
    case 'AuthorizationHeaderMalformed':
    case 'PermanentRedirect':
    case 'IllegalLocationConstraintException':
      return `The bucket “${bucket}” is not in the region “${region}”, or not at the endpoint ${endpoint}. Correct s3Region or s3Endpoints.`;
    case 'NotImplemented':
      return `${endpoint} lacks something that the service needs, such as conditional writes (If-None-Match, If-Match). Use a newer version of it.`;
    default:
      return describeStatus(code, status, options, endpoint);
  }
}

function describeNoAnswer(code: string, endpoint: string): string {
  if (code === 'EPROTO') return `${endpoint} does not speak TLS. Correct s3Endpoints: the port, or https://.`;
  if (isTlsProblem(code)) {
    return `The certificate of ${endpoint} is not trusted (${code}). Set s3CaFile to the certificates of its authority.`;
  }
  if (code === 'ENOTFOUND') return `The host of ${endpoint} is unknown (${code}). Correct s3Endpoints.`;
  return `${endpoint} does not answer (${code}).`;
}

function describeStatus(code: string, status: number, { bucket, accessKey }: S3Options, endpoint: string): string {
  if (status === 403) {
    return `The access key “${accessKey}” lacks permissions that the service needs in the bucket “${bucket}” at ${endpoint} (${code}). Extend its policy.`;
  }
  if (status === 400 && !endpoint.startsWith('https:')) {
    return `${endpoint} answers with status 400 (${code}); it may want TLS. Correct s3Endpoints: the port, or https://.`;
  }
  return `${endpoint} answers with status ${status} (${code}).`;
}
