import type { AuthenticationProvider } from './authentication-provider.port.js';
import { localQueueLimits, remoteQueueLimits, SignInQueue } from './sign-in-queue.js';

/** A queue for each authentication provider: a directory that hangs delays the sign-ins of no other. */
export class ProviderQueues {
  private readonly queues: ReadonlyMap<string, SignInQueue>;

  constructor(providers: readonly AuthenticationProvider[]) {
    this.queues = new Map(
      providers.map(({ name, isRemote }) => [name, new SignInQueue(isRemote ? remoteQueueLimits : localQueueLimits)]),
    );
  }

  /** See `SignInQueue.run`. */
  run<B, T>(
    { name }: AuthenticationProvider,
    client: string,
    tryBegin: () => Promise<B | undefined>,
    work: (begun: B) => Promise<T>,
  ): Promise<T> {
    const queue = this.queues.get(name);
    if (!queue) throw new Error(`no queue for the provider ${name}`);
    return queue.run(client, tryBegin, work);
  }
}
