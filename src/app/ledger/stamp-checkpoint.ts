import { requestTimestamp } from '../../integrations/rfc3161/request-timestamp.js';

/**
 * Obtains the confirmation of a time-stamping authority that a signed checkpoint exists.
 * @param signed text of the checkpoint with its signature
 * @returns the time stamp, in DER
 * @throws Error that explains in a sentence why there is none; the reason of `signal`
 */
export async function stampCheckpoint(url: string, signed: string, signal: AbortSignal): Promise<Buffer> {
  try {
    return await requestTimestamp(url, signed, signal);
  } catch (error) {
    signal.throwIfAborted();
    const { message, cause } = error as Error;
    const reason = message === 'fetch failed' && cause instanceof Error ? cause.message : message;
    throw new Error(`No time stamp was obtained from ${new URL(url).host}: ${reason}.`, { cause });
  }
}
