import { describeS3Error, S3Error } from './s3-errors.js';
import type { S3Servers } from './s3-servers.js';

/**
 * Sends a request to object storage for a command of the program, such as `restore`.
 * @throws Error that says what is wrong with the object storage or the settings
 */
export async function withExplainedErrors<T>(servers: S3Servers, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    throw new Error(describeS3Error(error, servers.options, servers.endpoint), { cause: error });
  }
}
