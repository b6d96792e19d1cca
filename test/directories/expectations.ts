import { Fault } from '../../src/kernel/fault.js';

/** The fault with which a sign-in ends, for what the user reads and nothing else. */
export async function unavailableSentence(signIn: Promise<unknown>): Promise<string> {
  const fault = await signIn.then(
    (result) => new Error(`it resolved with ${JSON.stringify(result)}`),
    (error: unknown) => error,
  );
  if (fault instanceof Fault && fault.kind === 'unavailable' && fault.code === 'auth.directory-unavailable') {
    return fault.message;
  }
  throw fault;
}

/** Names no host, no entry, nobody. */
export const plainSentence =
  'The user directory does not answer, so nobody can sign in with it at present. Try again in a moment.';
