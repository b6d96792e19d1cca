import { Fault } from '../../src/kernel/fault.js';

/** Returns the message that the user sees when the directory is unavailable; throws any other outcome of the sign-in. */
export async function unavailableMessage(signIn: Promise<unknown>): Promise<string> {
  const fault = await signIn.then(
    (result) => new Error(`it resolved with ${JSON.stringify(result)}`),
    (error: unknown) => error,
  );
  if (fault instanceof Fault && fault.kind === 'unavailable' && fault.code === 'auth.directory-unavailable') {
    return fault.message;
  }
  throw fault;
}

/** Message for users, which contains no host, no entry and no user. */
export const directoryUnavailable =
  'The user directory is unavailable, so signing in with it is not possible right now. Try again in a moment.';
