import { StompSession, type Wire } from '../../../packages/stomp/session.js';
import { StompError } from '../../../packages/stomp/stomp-error.js';
import type { Permissions } from '../../auth/permissions.js';
import type { Principal } from '../../auth/principal.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { productVersion } from '../../kernel/product.js';
import type { LiveNotification } from '../live/entry-notification.js';
import { findTopic, type Topic, toMessage } from './topics.js';

export type LogbookStompSession = StompSession<Topic>;

export interface StompSessionOptions {
  readonly wire: Wire;
  readonly permissions: Permissions;
  /** The user that the opening request authenticated. */
  readonly principal: Principal | undefined;
  /** Whether clients must sign in. */
  readonly signInRequired: boolean;
  /** Whether the entries that a client may see depend on its user. If not, credentials are not checked. */
  readonly principalMatters: boolean;
  /** Whether the connection may carry a password; false if it lacks a required encryption. */
  readonly mayTakePassword: boolean;
  /** @throws Fault */
  readonly signIn: (credentials: { userName: string; password: string }) => Promise<Principal>;
  /** Starts notifications of changes; returns a function that ends them. */
  readonly subscribe: (listener: (batch: readonly LiveNotification[]) => void) => () => void;
  readonly nowMs: () => number;
}

/** Opens a session of a client, which receives the changes that its user may read. */
export function openStompSession(options: StompSessionOptions): LogbookStompSession {
  const { wire, permissions, subscribe, nowMs } = options;
  let { principal } = options;
  const isReadable = ({ current }: LiveNotification) => !current || permissions.mayRead(principal, current.entry);
  return new StompSession({
    wire,
    nowMs,
    service: {
      server: `logbook/${productVersion}`,
      signIn: async (credentials) => {
        principal = await findPrincipal(options, credentials);
        return principal?.userName;
      },
      start: (publish) =>
        subscribe((batch) => {
          const readable = permissions.hasReadRestrictions ? batch.filter(isReadable) : batch;
          readable.every((notification) => publish((topic) => toMessage(topic, notification)));
        }),
      findTopic: getTopic,
      echoesOn,
    },
  });
}

/** @throws StompError when the client may not connect */
async function findPrincipal(
  { principal, signInRequired, principalMatters, mayTakePassword, signIn }: StompSessionOptions,
  credentials: { readonly userName: string; readonly password: string },
): Promise<Principal | undefined> {
  const hasName = credentials.userName !== '';
  if (hasName && !mayTakePassword) {
    throw new StompError('A password requires TLS. Use wss:// and the https address of the service.');
  }
  if (principal) return principal;
  // As for requests, credentials are not checked if all users may read the same entries.
  if (hasName && principalMatters) return signIn(credentials).catch(refuse);
  if (signInRequired) {
    throw new StompError('A sign-in is required: send login and passcode with CONNECT, or sign in first.');
  }
  return undefined;
}

function refuse(error: unknown): never {
  throw error instanceof Fault ? new StompError(error.message, { cause: error }) : error;
}

/** @throws StompError when there is no such topic */
function getTopic(destination: string): Topic {
  const topic = findTopic(destination);
  if (topic) return topic;
  throw new StompError(
    `Topic ${quoted(destination)} not found. Use the path of the socket followed by /messages, or /topic/entries, or /topic/logbooks/{name}.`,
  );
}

/**
 * Returns a function that tells whether a topic of the same session receives the messages to this destination. Other
 * clients never receive them. @throws StompError for any other destination
 */
function echoesOn(destination: string): (topic: Topic) => boolean {
  if (destination.endsWith('/web-socket/echo')) return ({ kind }) => kind === 'messages' || kind === 'echo';
  throw new StompError(`Clients cannot publish to ${quoted(destination)}. Create entries with PUT /logs.`);
}
