import { expect, test } from 'vitest';
import { isPreconditionFailed, toS3Error } from './s3-errors.js';

const sdkError = (name: string, httpStatusCode: number) =>
  Object.assign(new Error(name), { name, $metadata: { httpStatusCode } });

test('409 ConditionalRequestConflict: the object may not exist, and the request is repeated', () => {
  const conflict = toS3Error(sdkError('ConditionalRequestConflict', 409));
  expect(isPreconditionFailed(conflict)).toBe(false);
  expect(conflict.isTransient).toBe(true);
  const present = toS3Error(sdkError('PreconditionFailed', 412));
  expect(isPreconditionFailed(present)).toBe(true);
  expect(present.isTransient).toBe(false);
});
