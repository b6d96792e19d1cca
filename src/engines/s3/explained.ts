import { describeS3Error, S3Error } from './s3-errors.js';
import type { S3Servers } from './s3-servers.js';

/** Runs a request of a command. @throws Error that says what is wrong with the object storage or the settings */
export async function explained<T>(servers: S3Servers, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    throw new Error(describeS3Error(error, servers.options, servers.endpoint), { cause: error });
  }
}
