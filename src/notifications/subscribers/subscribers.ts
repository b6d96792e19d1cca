import { Fault, quoted } from '../../kernel/fault.js';
import { FeedFollower, type FollowDeps } from './delivery-worker.js';
import type { Sender } from './sender.port.js';
import type { Follower } from './subscriber.js';
import type { FollowerState, StoredDeadLetter } from './subscriber-store.port.js';

/** How a follower is, for the administrator. */
export interface FollowerReport extends FollowerState {
  /** Both empty for one that is not configured any more. */
  readonly kind: string;
  readonly target: string;
  readonly status: FeedFollower['doing'] | 'not-configured';
  /** How many changes of the feed lie after its position, at most. */
  readonly behind: number;
  readonly deadLetters: number;
  /** Those that made room for newer ones. */
  readonly droppedLetters: number;
}

/** All that follow the changes, each at its own pace. */
export class Followers {
  private constructor(
    private readonly deps: FollowDeps,
    private readonly running: ReadonlyMap<string, FeedFollower>,
    private readonly stopListening: () => void,
  ) {}

  static async start(
    deps: FollowDeps,
    configured: readonly { readonly follower: Follower; readonly sender: Sender }[],
  ): Promise<Followers> {
    const running = new Map<string, FeedFollower>();
    for (const { follower, sender } of configured) {
      running.set(follower.name, await FeedFollower.start(deps, follower, sender));
    }
    const stopListening = deps.storage.onCommit(() => {
      for (const one of running.values()) one.noteCommit();
    });
    // What was committed while they started.
    for (const one of running.values()) one.noteCommit();
    return new Followers(deps, running, stopListening);
  }

  /** By name, those that are not configured any more too. */
  async list(): Promise<FollowerReport[]> {
    const { feed, followers } = this.deps.storage.committed;
    const newest = await feed.newest();
    const states = new Map((await followers.list()).map((state) => [state.name, state]));
    for (const [name, one] of this.running) states.set(name, one.progress);
    const reports: FollowerReport[] = [];
    for (const [name, state] of [...states].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const one = this.running.get(name);
      reports.push({
        ...state,
        kind: one?.follower.kind ?? '',
        target: one?.follower.target ?? '',
        status: one?.doing ?? 'not-configured',
        behind: Math.max(0, newest - state.sequence),
        deadLetters: await followers.countLetters(name),
        droppedLetters: await followers.countDropped(name),
      });
    }
    return reports;
  }

  /** Newest first. @throws Fault missing `follower.not-found` */
  async listLetters(name: string, limit: number, beforeId?: number): Promise<StoredDeadLetter[]> {
    const { followers } = this.deps.storage.committed;
    if (!this.running.has(name) && !(await followers.find(name))) throw unknownFollower(name);
    return followers.listLetters(name, limit, beforeId);
  }

  /**
   * One more attempt, soon; of a follower that is not configured, once it is again.
   * @throws Fault missing `dead-letter.not-found`
   */
  async tryLetterAgain(name: string, id: number): Promise<void> {
    await this.deps.storage.write(async (tx) => {
      const letter = await tx.followers.findLetter(name, id);
      if (!letter) throw unknownLetter(name, id);
      await tx.followers.changeLetter(name, { ...letter, again: true });
    });
    this.running.get(name)?.noteLetters();
  }

  /** @throws Fault missing `dead-letter.not-found` */
  async removeLetter(name: string, id: number): Promise<void> {
    if (!(await this.deps.storage.write((tx) => tx.followers.removeLetter(name, id)))) throw unknownLetter(name, id);
  }

  /**
   * Forgets how far it came, and its dead letters.
   * @throws Fault conflict `follower.configured`; missing `follower.not-found`
   */
  async remove(name: string): Promise<void> {
    if (this.running.has(name)) {
      throw new Fault(
        'conflict',
        'follower.configured',
        `The follower ${quoted(name)} is in the configuration. Take it out there and restart the service first.`,
      );
    }
    if (!(await this.deps.storage.write((tx) => tx.followers.remove(name)))) throw unknownFollower(name);
  }

  /** Cuts off what is under way; it is sent again after the next start. */
  async stop(): Promise<void> {
    this.stopListening();
    await Promise.all(Array.from(this.running.values(), (one) => one.stop()));
  }
}

function unknownFollower(name: string): Fault {
  return new Fault('missing', 'follower.not-found', `There is no follower ${quoted(name)}.`);
}

function unknownLetter(name: string, id: number): Fault {
  return new Fault('missing', 'dead-letter.not-found', `The follower ${quoted(name)} has no dead letter ${id}.`);
}
