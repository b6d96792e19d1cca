import { frameLimits } from '../../packages/stomp/frame.js';
import type { ChatOptions } from '../config/chat-settings.js';
import type { MailOptions } from '../config/mail-settings.js';
import type { LiveOptions, ServiceOptions } from '../config/service-options.js';
import { subscriberKeys } from '../config/subscribers/subscriber-keys.js';
import type { Storage } from '../engines/storage.port.js';
import { entryPages } from '../entries/page-address.js';
import { ConnectionsPerAddress } from '../http/connections/connections-per-address.js';
import { WebSockets } from '../http/connections/web-sockets.js';
import type { RequestMetrics } from '../http/metrics.js';
import type { Clock } from '../kernel/clock.js';
import type { JobRegistry } from '../kernel/job-registry.js';
import type { Log } from '../kernel/log.js';
import type { NodeLeases } from '../kernel/node-leases.js';
import type { Tracing } from '../kernel/tracing.js';
import { inboxJob } from '../notifications/inbox/inbox-job.js';
import type { ChatChannelDeps, MailChannelDeps } from '../notifications/inbox/personal-channels.js';
import type { PersonalDeliveries } from '../notifications/inbox/personal-deliveries.js';
import { unsubscribeToken } from '../notifications/inbox/unsubscribe-token.js';
import { LiveFeed } from '../notifications/live/live-feed.js';
import { OpenStreams } from '../notifications/live/open-streams.js';
import { Subscribers } from '../notifications/subscribers/subscribers.js';
import type { SearchIndex } from '../search/search-index.port.js';
import type { CleanupStack } from './cleanup-stack.js';
import type { Auth } from './open-auth.js';
import { openSubscriber } from './open-subscriber.js';

/** Time limit for each step of the dialogue with the mail server, and for a chat message. */
const timeoutMs = 10_000;

interface NotificationDeps {
  readonly storage: Storage;
  readonly searchIndex: SearchIndex;
  readonly clock: Clock;
  readonly auth: Auth;
  readonly jobs: JobRegistry;
  readonly leases: NodeLeases;
  readonly metrics: RequestMetrics;
  readonly tracing: Tracing;
  readonly log: Log;
}

export type Notifications = Awaited<ReturnType<typeof openNotifications>>;

/** Starts the delivery of changes to subscribers and live clients. */
export async function openNotifications(options: ServiceOptions, deps: NotificationDeps, cleanup: CleanupStack) {
  const subscribers = await startSubscribers(options, deps, cleanup);
  const deliveries = await openDeliveries(options, deps, subscribers);
  startInbox(options, deps, deliveries, cleanup);
  return { subscribers, deliveries, ...(await openLive(options.live, deps, cleanup)) };
}

async function startSubscribers(
  { subscribers: settings, timeZone, http }: ServiceOptions,
  { storage, searchIndex, clock, auth: { clockWatch }, leases, tracing, log }: NotificationDeps,
  cleanup: CleanupStack,
): Promise<Subscribers> {
  const subscribers = await Subscribers.start(
    {
      storage,
      searchIndex,
      clock,
      clockWatch,
      leases,
      zone: timeZone,
      linkOf: entryPages(http.publicUrl),
      log: log.child({ part: 'subscribers' }),
    },
    await Promise.all(settings.map((setting) => openSubscriber(setting, { clock, tracing, zone: timeZone }))),
  );
  cleanup.defer(() => subscribers.stop());
  return subscribers;
}

/**
 * Opens the deliveries of inboxes. The job that fills the inboxes starts these deliveries. Imports only configured
 * deliveries.
 */
async function openDeliveries(
  { mail, push, chat, http, timeZone }: ServiceOptions,
  { storage, clock, auth: { permissions, authenticator }, log }: NotificationDeps,
  subscribers: Subscribers,
): Promise<PersonalDeliveries | undefined> {
  if (!mail && !push && !chat) return undefined;
  const { PersonalDeliveries } = await import('../notifications/inbox/personal-deliveries.js');
  const secret = () => storage.committed.feed.secret();
  return new PersonalDeliveries({
    ...{ storage, permissions, subscribers, linkOf: entryPages(http.publicUrl), log: log.child({ part: 'inbox' }) },
    recheck: (account) => authenticator.recheck(account),
    mail: mail && (await openMails({ ...mail, zone: timeZone }, http.rootPath, secret)),
    push: push && new (await import('../integrations/webhook/browser-push.js')).BrowserPush(push, { clock, secret }),
    chat: chat && (await openChat(chat)),
  });
}

async function openMails(
  { publicUrl, batchWindowMs, ...server }: MailOptions & { readonly zone: string },
  rootPath: string,
  secret: () => Promise<string>,
): Promise<MailChannelDeps> {
  const { SmtpSender } = await import('../integrations/smtp/smtp-sender.js');
  return {
    batchWindowMs,
    senderTo: (address) => new SmtpSender({ ...server, to: [address], timeoutMs }),
    unsubscribeUrl: async (owner) => `${publicUrl}${rootPath}/unsubscribe/${unsubscribeToken(await secret(), owner)}`,
  };
}

async function openChat({ url, recipient, allowAddresses, caCertificates }: ChatOptions): Promise<ChatChannelDeps> {
  const { ChatSender } = await import('../integrations/webhook/chat-sender.js');
  const text = subscriberKeys.text.defaultText;
  const advice = 'add it to chatAllowAddresses';
  const target = { url, timeoutMs, allowPrivate: false, allowed: allowAddresses, caCertificates, advice, text };
  return {
    host: url.host,
    recipientOf: ({ userName }) => recipient.replaceAll('{userName}', () => userName),
    senderTo: (channel) => new ChatSender({ ...target, channel }),
  };
}

function startInbox(
  { timeZone: zone }: ServiceOptions,
  { storage, searchIndex, clock, auth: { permissions, authenticator }, jobs, log }: NotificationDeps,
  deliveries: PersonalDeliveries | undefined,
  cleanup: CleanupStack,
): void {
  const inbox = jobs.start(
    inboxJob({
      ...{ storage, searchIndex, permissions, clock, zone, deliveries },
      recheck: (account) => authenticator.recheck(account),
      log: log.child({ part: 'inbox' }),
    }),
  );
  cleanup.defer(async () => {
    await inbox.stop();
    deliveries?.end();
  });
  cleanup.defer(
    storage.onCommit((commit) => {
      if (commit.feed) inbox.trigger();
    }),
  );
  inbox.trigger();
}

async function openLive(
  options: LiveOptions,
  { storage, jobs, metrics, log }: NotificationDeps,
  cleanup: CleanupStack,
) {
  const feed = await LiveFeed.start({ storage, jobs, log: log.child({ part: 'live' }) });
  cleanup.defer(() => feed.stop());
  const byAddress = new ConnectionsPerAddress(options.maxConnectionsPerAddress);
  const webSockets = new WebSockets({
    maxConnections: options.maxWebSocketConnections,
    byAddress,
    // A frame above `frameLimits` is answered with an ERROR frame before the connection is closed. A message above this
    // maximum closes it immediately.
    maxMessageBytes: 2 * frameLimits.bytes,
    subprotocols: ['v12.stomp', 'v11.stomp', 'v10.stomp'],
  });
  const streams = new OpenStreams(options.maxEventStreams, byAddress);
  metrics.gauge('logbook_websocket_connections', 'Open WebSocket connections.', () => webSockets.count);
  metrics.gauge('logbook_event_streams', 'Open event streams (Server-Sent Events).', () => streams.count);
  return { feed, webSockets, streams };
}
