import { OpenStreams } from '../api/live/live.routes.js';
import type { Config } from '../config/settings.js';
import type { Storage } from '../engines/storage.port.js';
import { ConnectionsPerAddress } from '../http/connections/connections-per-address.js';
import { WebSockets } from '../http/connections/web-sockets.js';
import type { RequestMetrics } from '../http/metrics.js';
import type { Log } from '../kernel/log.js';
import { LiveFeed } from '../notifications/live/live-feed.js';
import { frameLimits } from '../notifications/stomp/frame.js';
import type { DeliveryWorkerDeps } from '../notifications/subscribers/delivery-worker.js';
import { Subscribers } from '../notifications/subscribers/subscribers.js';
import type { CleanupStack } from './cleanup-stack.js';
import { openSubscriber } from './open-subscriber.js';

/** For clients that are told of changes as they happen. */
export async function openLive(config: Config, storage: Storage, metrics: RequestMetrics, log: Log) {
  const feed = await LiveFeed.start(storage, log.child({ part: 'live' }));
  const byAddress = new ConnectionsPerAddress(config.maxLiveConnectionsPerAddress);
  const webSockets = new WebSockets({
    maxConnections: config.maxWebSocketConnections,
    byAddress,
    // A larger frame is answered with an ERROR frame before its connection is closed; one in larger messages is not.
    maxMessageBytes: 2 * frameLimits.bytes,
    subprotocols: ['v12.stomp', 'v11.stomp', 'v10.stomp'],
  });
  const streams = new OpenStreams(config.maxEventStreams, byAddress);
  metrics.gauge('logbook_websocket_connections', 'Open WebSocket connections.', () => webSockets.count);
  metrics.gauge('logbook_event_streams', 'Open streams of changes.', () => streams.count);
  return { feed, webSockets, streams };
}

/** Those outside who are told of changes, from their own places in the feed. */
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
