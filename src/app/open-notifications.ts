import type { Config } from '../config/settings.js';
import type { Storage } from '../engines/storage.port.js';
import { ConnectionsPerAddress } from '../http/connections/connections-per-address.js';
import { WebSockets } from '../http/connections/web-sockets.js';
import type { RequestMetrics } from '../http/metrics.js';
import type { BackgroundJobs } from '../kernel/background-jobs.js';
import type { Log } from '../kernel/log.js';
import { LiveFeed } from '../notifications/live/live-feed.js';
import { OpenStreams } from '../notifications/live/open-streams.js';
import { frameLimits } from '../notifications/stomp/frame.js';
import type { DeliveryWorkerDeps } from '../notifications/subscribers/delivery-worker.js';
import { Subscribers } from '../notifications/subscribers/subscribers.js';
import type { CleanupStack } from './cleanup-stack.js';
import { openSubscriber } from './open-subscriber.js';

/** Opens what notifies live clients: the reader of the change feed, and the WebSockets and streams of the clients. */
export async function openLive(
  config: Config,
  deps: {
    readonly storage: Storage;
    readonly jobs: BackgroundJobs;
    readonly metrics: RequestMetrics;
    readonly log: Log;
  },
  cleanup: CleanupStack,
) {
  const { storage, jobs, metrics } = deps;
  const feed = await LiveFeed.start({ storage, jobs, log: deps.log.child({ part: 'live' }) });
  cleanup.push(() => feed.stop());
  const byAddress = new ConnectionsPerAddress(config.maxLiveConnectionsPerAddress);
  const webSockets = new WebSockets({
    maxConnections: config.maxWebSocketConnections,
    byAddress,
    // Leaves space for a frame that is too large, so that its client receives an ERROR frame before the close.
    maxMessageBytes: 2 * frameLimits.bytes,
    subprotocols: ['v12.stomp', 'v11.stomp', 'v10.stomp'],
  });
  const streams = new OpenStreams(config.maxEventStreams, byAddress);
  metrics.gauge('logbook_websocket_connections', 'Open WebSocket connections.', () => webSockets.count);
  metrics.gauge('logbook_event_streams', 'Open event streams.', () => streams.count);
  return { feed, webSockets, streams };
}

/** Starts the deliveries to the configured subscribers, each from its own position in the change feed. */
export async function openSubscribers(
  config: Config,
  deps: Omit<DeliveryWorkerDeps, 'zone' | 'linkOf' | 'log'>,
  log: Log,
  cleanup: CleanupStack,
): Promise<Subscribers> {
  const { rootPath, publicUrl } = config;
  const subscribers = await Subscribers.start(
    {
      ...deps,
      zone: config.timeZone,
      linkOf: (entryId) => (publicUrl === '' ? '' : `${publicUrl}${rootPath}/logs/${entryId}`),
      log: log.child({ part: 'subscribers' }),
    },
    await Promise.all(config.subscribers.map((setting) => openSubscriber(setting, deps.clock))),
  );
  cleanup.push(() => subscribers.stop());
  return subscribers;
}
